//! The assumed size of an object.
//!
//! Objects in real clusters have 5 kB or more, but a simulated cluster of 150,000 objects must fit in a browser. So the
//! simulator stores a short value for each object, and an annotation in the value contains the size that the object
//! would have in a real cluster.

/// The annotation that contains the assumed size of an object, in bytes.
pub const ANNOTATION: &str = "watchglass/size";

/// The number of bytes at the start of a value in which [`weight`] searches for the annotation. An object starts with
/// its metadata, which contains the annotations.
const HEAD: usize = 1_024;

/// Returns the assumed size of a value in bytes: the size in its annotation, or the length of the value if the length
/// is larger.
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
    // Of a long run, a search through windows of bytes took a twentieth of the time.
    let head = String::from_utf8_lossy(&value[..value.len().min(HEAD)]);
    let Some((_, rest)) = head.split_once(ANNOTATION) else {
        return length;
    };
    let digits = rest.bytes();
    let digits = digits.skip_while(|c| matches!(c, b'"' | b':' | b' '));
    let assumed = digits
        .take_while(|c| c.is_ascii_digit())
        .fold(0_u64, |n, c| {
            n.saturating_mul(10).saturating_add(u64::from(c - b'0'))
        });
    length.max(assumed)
}
