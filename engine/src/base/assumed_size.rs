//! The assumed size of an object: clusters have objects of 5 kB and more, and a simulated cluster of 150,000 such
//! objects must fit in a browser. An annotation states the size that an object stands for; the stored value is shorter.

/// The annotation.
pub const ANNOTATION: &str = "watchglass/size";

/// The maximum number of leading bytes in which the annotation is searched: metadata comes first.
const HEAD: usize = 1_024;

/// Returns the number of bytes that a value stands for: the size in its annotation, or its length if that is larger.
///
/// ```
/// use watchglass_engine::base::assumed_size::weight;
/// let pod = br#"{"metadata":{"annotations":{"watchglass/size":"5000"}}}"#;
/// assert_eq!((weight(pod), weight(b"value1")), (5_000, 6));
/// ```
pub fn weight(value: &[u8]) -> u64 {
    let length = value.len() as u64;
    if value.first() != Some(&b'{') {
        return length;
    }
    let head = &value[..value.len().min(HEAD)];
    let name = ANNOTATION.as_bytes();
    let found = head.windows(name.len()).position(|part| part == name);
    let Some(place) = found else {
        return length;
    };
    let digits = head[place + name.len()..].iter();
    let digits = digits.skip_while(|c| matches!(c, b'"' | b':' | b' '));
    let assumed = digits
        .take_while(|c| c.is_ascii_digit())
        .fold(0_u64, |n, c| {
            n.saturating_mul(10).saturating_add(u64::from(c - b'0'))
        });
    length.max(assumed)
}
