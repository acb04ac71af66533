//! Computes the width of a monospace text without asking the browser, and shortens texts that do not fit.
//!
//! A layout that is a pure function of the data can be tested natively and never makes the browser lay out the page in
//! the middle of a frame. [`super::tokens`] measures the width of one character; the width is measured only once.

use super::geometry::{Point, Rect};

/// The font size of texts in pictures, in pixels.
pub const FONT: f64 = 12.0;

/// A monospace font, in which the width of a text follows from its number of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Font {
    /// The width of a cell as a fraction of the font size.
    pub advance: f64,
    /// The font size, in pixels.
    pub size: f64,
}

impl Font {
    pub const fn of(advance: f64) -> Font {
        let size = FONT;
        Font { advance, size }
    }

    /// Returns the width of a number of cells, in pixels.
    pub fn long(self, cells: usize) -> f64 {
        cells as f64 * self.advance * self.size
    }

    pub fn width(self, text: &str) -> f64 {
        self.long(cells(text))
    }

    /// Returns the number of cells that fit into `room` pixels.
    pub fn cells(self, room: f64) -> usize {
        (room / (self.advance * self.size)) as usize
    }

    pub fn measure(self, text: impl Into<String>) -> TextBox {
        let text = text.into();
        let width = self.width(&text);
        TextBox { text, width }
    }
}

/// A text with its width in pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct TextBox {
    pub text: String,
    pub width: f64,
}

/// The position of a text relative to its anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The text begins at the anchor.
    Right,
    /// The text is centred at the anchor.
    Middle,
    /// The text ends at the anchor.
    Left,
}

impl TextBox {
    /// Returns the left edge of the text if its anchor is at `x`.
    pub fn left(&self, x: f64, side: Side) -> f64 {
        match side {
            Side::Right => x,
            Side::Middle => x - self.width / 2.0,
            Side::Left => x - self.width,
        }
    }

    /// Returns the area of the text if it begins at `start`, in the middle of its height.
    pub fn area(&self, start: Point, half_height: f64) -> Rect {
        Rect::new(
            start.x,
            start.y - half_height,
            self.width,
            2.0 * half_height,
        )
    }
}

/// Returns the number of cells that a character occupies in a monospace font.
fn cells_of(ch: char) -> usize {
    match u32::from(ch) {
        // Combining marks share the cell of the character before them.
        0x0300..=0x036F | 0x200B..=0x200D | 0xFE00..=0xFE0F => 0,
        // East Asian wide forms and pictographs.
        0x1100..=0x115F
        | 0x2E80..=0xA4CF
        | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF
        | 0xFE30..=0xFE6F
        | 0xFF00..=0xFF60
        | 0xFFE0..=0xFFE6
        | 0x1F300..=0x1FAFF
        | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
}

pub fn cells(text: &str) -> usize {
    text.chars().map(cells_of).sum()
}

/// Shortens a text to `room` cells by cutting its end. Adds an ellipsis if the text was cut and `room` is at least 3.
pub fn start(text: &str, room: usize) -> String {
    if cells(text) <= room {
        return text.to_owned();
    }
    let ellipsis = room >= 3;
    let mut out = take(text.chars(), room - usize::from(ellipsis));
    if ellipsis {
        out.push('…');
    }
    out
}

/// Shortens a value for a bead. A value that ends with a digit (`value1`, `value2`) keeps its end, because the number
/// distinguishes such values; other values keep only their start.
pub fn value(text: &str, room: usize) -> String {
    if room >= 3 && text.ends_with(|ch: char| ch.is_ascii_digit()) {
        middle(text, room)
    } else {
        start(text, room)
    }
}

/// Shortens a text by cutting its middle, because the two ends of a key usually identify the key.
pub fn middle(text: &str, room: usize) -> String {
    if cells(text) <= room {
        return text.to_owned();
    }
    if room < 3 {
        return take(text.chars(), room);
    }
    let tail = (room - 1) / 2 + (room - 1) % 2;
    let head = room - 1 - tail;
    let mut out = take(text.chars(), head);
    out.push('…');
    let end: String = take(text.chars().rev(), tail);
    out.extend(end.chars().rev());
    out
}

/// Formats a number with thousands separators (`5240` as `5,240`) and a true minus sign.
pub fn grouped(number: i64) -> String {
    let digits = count(number.unsigned_abs());
    if number < 0 {
        format!("−{digits}")
    } else {
        digits
    }
}

/// Formats a range of revisions: `1,640–5,240`, or a single number.
pub fn range(from: i64, to: i64) -> String {
    if from == to {
        grouped(from)
    } else {
        [grouped(from), grouped(to)].join("–")
    }
}

/// Formats an unsigned number with thousands separators.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats a duration of simulated time: `63 ms`, `1.2 ms`, `250 µs`, `12.5 s`.
pub fn duration(us: u64) -> String {
    let (unit, name) = match us {
        0..1_000 => (1, " µs"),
        1_000..1_000_000 => (1_000, " ms"),
        _ => (1_000_000, " s"),
    };
    let mut out = (us / unit).to_string();
    let tenths = us % unit * 10 / unit;
    if tenths > 0 && us / unit < 100 {
        out.push('.');
        out.push_str(&tenths.to_string());
    }
    out.push_str(name);
    out
}

/// Formats simulated time in seconds, with milliseconds.
pub fn seconds(time_us: u64) -> String {
    let ms = time_us / 1000;
    let whole = (ms / 1000).to_string();
    let thousandths = (1000 + ms % 1000).to_string();
    format!("{whole}.{} s", &thousandths[1..])
}

/// Formats a number of bytes: `512 B`, `12 kB`, `1.5 MB`. One kB is 1,024 bytes, the unit of a stream's window sizes.
pub fn bytes(count: u64) -> String {
    let (unit, name) = match count {
        0..1_024 => (1, " B"),
        1_024..1_048_576 => (1_024, " kB"),
        _ => (1_048_576, " MB"),
    };
    let tenths = (count * 10 + unit / 2) / unit;
    let mut out = ((tenths + if tenths < 100 { 0 } else { 5 }) / 10).to_string();
    if tenths < 100 && !tenths.is_multiple_of(10) {
        out.push('.');
        out.push_str(&(tenths % 10).to_string());
    }
    out.push_str(name);
    out
}

/// Returns the first characters, as many as fit into `room` cells.
pub fn take(chars: impl Iterator<Item = char>, room: usize) -> String {
    let mut used = 0;
    chars
        .take_while(|ch| {
            used += cells_of(*ch);
            used <= room
        })
        .collect()
}

/// Splits the key of a lane into a prefix and a last segment, and shortens them so that both fit into the lane's name.
/// The last segment distinguishes neighbouring keys, so the prefix is shortened first.
pub fn key_name(name: &str, room: usize) -> (String, String) {
    let (prefix, last) = split_key(name);
    let wanted = cells(last);
    if wanted >= room {
        return (String::new(), middle(last, room));
    }
    let left = room - wanted;
    (ending(prefix, left), last.to_owned())
}

/// Shortens a prefix to `room` cells by cutting its start at a `/`, because an incomplete name would mislead the
/// reader. Returns an empty text if `room` is less than 2.
pub fn ending(prefix: &str, room: usize) -> String {
    if cells(prefix) <= room {
        return prefix.to_owned();
    }
    if room < 2 {
        return String::new();
    }
    let end: String = take(prefix.chars().rev(), room - 1);
    let end: String = end.chars().rev().collect();
    let mut cut = String::from("…");
    cut.push_str(end.find('/').map_or(&*end, |from| &end[from..]));
    cut
}

/// Shortens a path to the shortest end that begins with a `/` and is not the end of any other path in `all`. Different
/// paths thus stay different. If a path has no such end, the path is not shortened.
pub fn distinct_end(path: &str, all: &[&str]) -> String {
    let cuts = path.char_indices().rev().filter(|(_, ch)| *ch == '/');
    let ends = cuts.map(|(at, _)| &path[at..]);
    // The end `/*` of a range of keys has no name.
    let mut ends = ends.filter(|end| !end.trim_end_matches(['/', '*']).is_empty());
    let is_distinct = |end: &&str| {
        let mut others = all.iter().filter(|other| **other != path);
        others.all(|other| !other.ends_with(end))
    };
    match ends.find(is_distinct) {
        Some(end) if end.len() + 1 < path.len() => ["…", end].concat(),
        _ => path.to_owned(),
    }
}

/// Returns a text without the beginning that it shares with all texts in `alike`. The text itself may be in `alike`.
pub fn differing<'a>(text: &'a str, alike: &[&str]) -> &'a str {
    let same = |other: &&str| {
        let pairs = text.bytes().zip(other.bytes());
        pairs.take_while(|(one, other)| one == other).count()
    };
    let others = alike.iter().filter(|other| **other != text);
    let from = others.map(same).min().unwrap_or(0);
    &text[text.floor_char_boundary(from)..]
}

/// Splits a key after the last `/` that is not at the end of the key.
pub fn split_key(name: &str) -> (&str, &str) {
    let body = name.trim_end_matches('/');
    match body.rfind('/') {
        Some(at) => name.split_at(at + 1),
        None => ("", name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_text_that_differs_from_others() {
        assert_eq!(
            differing("/group-0/a", &["/group-0/a", "/group-1/a"]),
            "0/a"
        );
        assert_eq!(differing("größe", &["grün"]), "öße");
        assert_eq!(differing("a", &[]), "a");
        assert_eq!(differing("a", &["a"]), "a");
    }

    #[test]
    fn quantities_for_people() {
        assert_eq!(
            [0, 999, 1000, -3601, 1_234_567].map(grouped),
            ["0", "999", "1,000", "−3,601", "1,234,567"]
        );
        assert_eq!(
            [0, 250, 1_200, 63_000, 63_400, 12_500_000].map(duration),
            ["0 µs", "250 µs", "1.2 ms", "63 ms", "63.4 ms", "12.5 s"]
        );
        assert_eq!(
            [7, 512, 1536, 65_535].map(bytes),
            ["7 B", "512 B", "1.5 kB", "64 kB"]
        );
    }

    #[test]
    fn values_are_cut_at_their_end() {
        assert_eq!(start("value1", 6), "value1");
        assert_eq!(start("value1", 5), "valu…");
        assert_eq!(start("value1", 3), "va…");
        assert_eq!(start("value1", 2), "va");
        assert_eq!(start("value1", 1), "v");
        assert_eq!(start("日本語", 3), "日…");
        assert_eq!(start("", 0), "");
    }

    #[test]
    fn numbered_values_keep_their_number() {
        assert_eq!(value("value1", 6), "value1");
        assert_eq!(value("value1", 3), "v…1");
        assert_eq!(value("value1", 2), "va");
        assert_eq!(value("NotReady", 3), "No…");
    }

    #[test]
    fn keys_are_cut_in_their_middle() {
        assert_eq!(middle("controller-7f6d", 15), "controller-7f6d");
        assert_eq!(middle("controller-7f6d", 9), "cont…7f6d");
        assert_eq!(middle("controller-7f6d", 2), "co");
    }

    #[test]
    fn the_last_segment_survives_longest() {
        assert_eq!(
            split_key("/registry/pods/web-1"),
            ("/registry/pods/", "web-1")
        );
        assert_eq!(split_key("/key1"), ("/", "key1"));
        assert_eq!(split_key("key1"), ("", "key1"));
        assert_eq!(split_key("/a/b/"), ("/a/", "b/"));
        assert_eq!(split_key("/"), ("", "/"));
        let fits = |prefix: &str, last: &str| (prefix.to_owned(), last.to_owned());
        assert_eq!(
            key_name("/registry/pods/web-1", 20),
            fits("/registry/pods/", "web-1")
        );
        assert_eq!(
            key_name("/registry/pods/web-1", 12),
            fits("…/pods/", "web-1")
        );
        assert_eq!(
            key_name("/registry/pods/web-1", 14),
            fits("…/pods/", "web-1")
        );
        assert_eq!(key_name("/registry/pods/web-1", 10), fits("…/", "web-1"));
        assert_eq!(key_name("/registry/pods/web-1", 6), fits("", "web-1"));
        assert_eq!(key_name("/registry/pods/web-1", 4), fits("", "w…-1"));
    }

    #[test]
    fn shortened_paths_stay_different() {
        let all = ["/jobs/1", "/jobs/11", "/tasks/1", "/registry/pods/*"];
        let short = all.map(|path| distinct_end(path, &all));
        assert_eq!(short, ["/jobs/1", "…/11", "/tasks/1", "…/pods/*"]);
        assert_eq!(distinct_end("/a", &["/a"]), "/a");
    }

    #[test]
    fn seconds_with_three_digits() {
        for (us, text) in [(0, "0.000 s"), (4_000, "0.004 s"), (3_412_999, "3.412 s")] {
            assert_eq!(seconds(us), text);
        }
    }
}
