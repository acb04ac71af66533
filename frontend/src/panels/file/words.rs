//! The texts of the summary of a file.

use watchglass_engine::session::protocol::FileStage;

use crate::state::file::FileOpening;

/// Formats a number with thousands separators.
pub(super) fn number(value: impl Into<i128>) -> String {
    let value: i128 = value.into();
    let digits = value.unsigned_abs().to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if value < 0 { format!("-{out}") } else { out }
}

/// Formats a size in the largest unit in which the size is at least 1.
pub(super) fn size(bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    for (unit, name) in units {
        if bytes >= unit {
            let tenths = bytes / (unit / 10);
            return format!("{}.{} {name}", number(tenths / 10), tenths % 10);
        }
    }
    format!("{bytes} B")
}

/// Formats a size in bytes.
pub(super) fn bytes_exactly(bytes: u64) -> String {
    format!("{} bytes", number(bytes))
}

/// Formats a share in percent, with one decimal digit.
pub(super) fn share(part: u64, whole: u64) -> String {
    let tenths = part.saturating_mul(1000) / whole.max(1);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Formats a number and the singular or plural of its noun.
pub(super) fn count(value: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(value), if value == 1 { one } else { many })
}

/// Formats a SHA-256 in hexadecimal digits.
pub(super) fn hash(sha256: &[u8]) -> String {
    sha256.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the progress of opening a file in words.
pub(super) fn stage(opening: &FileOpening) -> String {
    let (done, total) = (opening.done, opening.total);
    let percent = share(done, total);
    match opening.stage {
        FileStage::Reading => {
            format!(
                "Reading and hashing: {percent}, {} of {}",
                number(done),
                bytes_exactly(total)
            )
        }
        FileStage::Checking => {
            format!(
                "Checking pages: {} of {}",
                number(done),
                count(total, "page", "pages")
            )
        }
        FileStage::Summing => {
            format!(
                "Reading rows: {} of {}",
                number(done),
                count(total, "page", "pages")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(number(0), "0");
        assert_eq!(number(999), "999");
        assert_eq!(number(418_906_233), "418,906,233");
        assert_eq!(number(-1_000), "-1,000");
    }

    #[test]
    fn sizes_have_one_unit() {
        assert_eq!(size(999), "999 B");
        assert_eq!(size(126_976), "126.9 kB");
        assert_eq!(size(480_247_840), "480.2 MB");
        assert_eq!(share(1, 3), "33.3 %");
        assert_eq!(share(0, 0), "0.0 %");
    }
}
