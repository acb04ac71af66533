//! Tests of the texts of the dialog for a database file.

use crate::words::file as words;

#[test]
fn numbers_are_grouped() {
    assert_eq!(words::number(0), "0");
    assert_eq!(words::number(999), "999");
    assert_eq!(words::number(418_906_233), "418,906,233");
    assert_eq!(words::number(-1_000), "-1,000");
}

#[test]
fn sizes_have_one_unit() {
    assert_eq!(words::size(999), "999 B");
    assert_eq!(words::size(126_976), "126.9 kB");
    assert_eq!(words::size(480_247_840), "480.2 MB");
    assert_eq!(words::share(1, 3), "33.3 %");
    assert_eq!(words::share(2, 3), "66.7 %");
    assert_eq!(words::share(0, 0), "0.0 %");
}
