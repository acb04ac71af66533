//! Formats bytes as hexadecimal digits and finds the named part of each byte.

use watchglass_engine::view::FieldView;

/// Formats a byte as two digits.
pub fn byte(value: u8) -> String {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
    ];
    let digit = |half: u8| DIGITS.get(usize::from(half)).copied().unwrap_or('?');
    [digit(value >> 4), digit(value & 15)].iter().collect()
}

/// Formats all bytes without spaces, as hex tools expect.
pub fn text(bytes: &[u8]) -> String {
    bytes.iter().map(|value| byte(*value)).collect()
}

/// Returns the character of a byte, or `·` if the character is not printable, as hex dumps do.
pub fn glyph(value: u8) -> char {
    if (0x21..0x7F).contains(&value) {
        char::from(value)
    } else {
        '·'
    }
}

/// Returns the index of the part that contains the byte at `at`.
pub fn part_of(parts: &[FieldView], at: usize) -> Option<usize> {
    parts
        .iter()
        .position(|part| (part.start as usize..part.end as usize).contains(&at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits() {
        assert_eq!(text(&[0, 0x5F, 0x74, 0xFF]), "005f74ff");
        assert_eq!(glyph(b'_'), '_');
        assert_eq!(glyph(0), '·');
    }

    #[test]
    fn a_byte_knows_its_part() {
        let part = |start, end| FieldView {
            start,
            end,
            ..FieldView::default()
        };
        let parts = [part(0, 8), part(8, 9), part(9, 17)];
        assert_eq!(part_of(&parts, 0), Some(0));
        assert_eq!(part_of(&parts, 8), Some(1));
        assert_eq!(part_of(&parts, 16), Some(2));
        assert_eq!(part_of(&parts, 17), None);
    }
}
