//! Protobuf's binary encoding. Each message lists its fields once. A sink receives the encoded fields, and either
//! stores or counts their bytes.
//!
//! Mirrors the proto3 encoding of etcd's generated code: fields are written in the order of their numbers, and scalar
//! fields that are zero or empty are omitted. Left out: wire types of fixed width, which etcd's messages do not use.

use super::Bytes;

/// Receives the encoded bytes of a message: `Vec<u8>` stores the bytes, [`Counter`] counts them.
pub trait Sink {
    /// Writes bytes without a length.
    fn bytes(&mut self, bytes: &[u8]);

    fn varint(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.bytes(&[n as u8 | 0x80]);
            n >>= 7;
        }
        self.bytes(&[n as u8]);
    }

    /// Writes the length of a message and then the message.
    fn message(&mut self, message: &impl ProtoMessage);
}

impl Sink for Vec<u8> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    fn message(&mut self, message: &impl ProtoMessage) {
        self.varint(size(message));
        message.write(self);
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter(pub u64);

impl Sink for Counter {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0 += bytes.len() as u64;
    }

    fn message(&mut self, message: &impl ProtoMessage) {
        // This method counts the size of the nested message only once. Counting it again for the length would take time
        // exponential in the nesting depth.
        let len = size(message);
        self.varint(len);
        self.0 += len;
    }
}

/// A message that can be encoded. The macro `message!` implements this trait for plain structs.
pub trait ProtoMessage {
    /// Writes every field of the message in the order of the field numbers.
    fn write(&self, to: &mut impl Sink);
}

/// A message that can also be decoded. The macro `row!` implements this trait.
pub trait Row: ProtoMessage + Default {
    /// Sets the field with this number. Ignores an unknown number.
    fn set(&mut self, number: u32, content: Content<'_>);

    fn name(number: u32) -> Option<&'static str>;
}

/// The decoded content of a field, without its tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// A number, encoded as a varint.
    Int(u64),
    /// A field with a length: bytes, a text or a message.
    Bytes(&'a [u8]),
}

pub trait Field {
    /// Writes the field with its tag, or nothing if the value is the proto3 default.
    fn write_field(&self, number: u32, to: &mut impl Sink);
}

/// A field type that can also be decoded.
pub trait Scalar: Field + Sized {
    /// Converts the content to this type; returns `None` if the content has a different type.
    fn read(content: Content<'_>) -> Option<Self>;
}

/// Returns the encoded bytes of a message.
///
/// ```
/// use watchglass_engine::api::PutRequest;
/// use watchglass_engine::base::proto;
/// let put = PutRequest { key: "/key1".into(), value: "value1".into(), ..PutRequest::default() };
/// assert_eq!(proto::encode(&put), b"\x0a\x05/key1\x12\x06value1");
/// assert_eq!(proto::size(&put), 15);
/// ```
pub fn encode(message: &impl ProtoMessage) -> Vec<u8> {
    let mut out = Vec::with_capacity(size(message) as usize);
    message.write(&mut out);
    out
}

/// Returns the number of bytes that [`encode`] writes.
pub fn size(message: &impl ProtoMessage) -> u64 {
    let mut counter = Counter::default();
    message.write(&mut counter);
    counter.0
}

/// Returns the number of bytes of an encoded field, including its tag and length.
pub fn field_size(number: u32, field: &impl Field) -> u64 {
    let mut counter = Counter::default();
    field.write_field(number, &mut counter);
    counter.0
}

/// Decodes a row; returns `None` if the bytes are not a message. Skips unknown fields.
pub fn decode<R: Row>(bytes: &[u8]) -> Option<R> {
    let mut row = R::default();
    walk(bytes, |number, content, _, _| row.set(number, content))?;
    Some(row)
}

/// The name and position of a field in an encoded message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub name: &'static str,
    /// The offset of the field's tag, in bytes.
    pub start: u32,
    /// The offset of the first byte after the field.
    pub end: u32,
}

/// Returns the fields of an encoded row, in their order in the row. For a damaged row, returns the fields before the
/// damage.
pub fn spans<R: Row>(bytes: &[u8]) -> Vec<Span> {
    let mut spans = Vec::new();
    let _ = walk(bytes, |number, _, start, end| {
        spans.push(Span {
            name: R::name(number).unwrap_or("unknown"),
            start: start as u32,
            end: end as u32,
        });
    });
    spans
}

/// Calls `f(number, content)` for each field of a message, up to the first field that cannot be decoded. Returns true
/// if the whole message was decoded.
pub fn each_field<'a>(bytes: &'a [u8], mut f: impl FnMut(u32, Content<'a>)) -> bool {
    walk(bytes, |number, content, _, _| f(number, content)).is_some()
}

/// Returns the number and the content of the first field, and the bytes after the field.
pub fn first_field(bytes: &[u8]) -> Option<(u32, Content<'_>, &[u8])> {
    let mut at = 0;
    let (number, content) = read_field(bytes, &mut at)?;
    Some((number, content, &bytes[at..]))
}

/// Calls `f(number, content, start, end)` for each field; returns `None` if the bytes are not a message.
fn walk<'a>(bytes: &'a [u8], mut f: impl FnMut(u32, Content<'a>, usize, usize)) -> Option<()> {
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let (number, content) = read_field(bytes, &mut at)?;
        f(number, content, start, at);
    }
    Some(())
}

fn read_field<'a>(bytes: &'a [u8], at: &mut usize) -> Option<(u32, Content<'a>)> {
    let tag = read_varint(bytes, at)?;
    let content = match tag & 7 {
        0 => Content::Int(read_varint(bytes, at)?),
        2 => {
            let len = usize::try_from(read_varint(bytes, at)?).ok()?;
            let end = at.checked_add(len)?;
            let content = bytes.get(*at..end)?;
            *at = end;
            Content::Bytes(content)
        }
        _ => return None,
    };
    Some((u32::try_from(tag >> 3).ok()?, content))
}

fn read_varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut n = 0u64;
    for shift in (0..64).step_by(7) {
        let b = *bytes.get(*at)?;
        *at += 1;
        n |= u64::from(b & 0x7f) << shift;
        if b & 0x80 == 0 {
            return Some(n);
        }
    }
    None
}

/// Writes a number field, even if the number is 0. The chosen member of a `oneof` needs this encoding.
pub fn write_number(number: u32, value: u64, to: &mut impl Sink) {
    to.varint(u64::from(number) << 3);
    to.varint(value);
}

/// Writes a bytes field, even if the bytes are empty. The chosen member of a `oneof` and the elements of a list need
/// this encoding.
pub fn write_bytes(number: u32, value: &[u8], to: &mut impl Sink) {
    to.varint(u64::from(number) << 3 | 2);
    to.varint(value.len() as u64);
    to.bytes(value);
}

/// Implements the field types that are encoded as numbers.
macro_rules! numbers {
    ($($type:ty: $to:expr, $from:expr;)*) => {$(
        impl Field for $type {
            fn write_field(&self, number: u32, to: &mut impl Sink) {
                let value: u64 = $to(*self);
                if value != 0 {
                    write_number(number, value, to);
                }
            }
        }

        impl Scalar for $type {
            fn read(content: Content<'_>) -> Option<Self> {
                match content {
                    Content::Int(n) => Some($from(n)),
                    Content::Bytes(_) => None,
                }
            }
        }
    )*};
}

numbers! {
    u64: |n| n, |n| n;
    i64: |n| n as u64, |n| n as i64;
    bool: u64::from, |n| n != 0;
}

impl Field for Bytes {
    fn write_field(&self, number: u32, to: &mut impl Sink) {
        if !self.is_empty() {
            write_bytes(number, self, to);
        }
    }
}

impl Scalar for Bytes {
    fn read(content: Content<'_>) -> Option<Self> {
        match content {
            Content::Bytes(bytes) => Some(Self::from(bytes)),
            Content::Int(_) => None,
        }
    }
}

impl Field for String {
    fn write_field(&self, number: u32, to: &mut impl Sink) {
        if !self.is_empty() {
            write_bytes(number, self.as_bytes(), to);
        }
    }
}

/// Writes a message field even if the message is empty. A field that a message can omit has the type `Option`.
impl<M: ProtoMessage> Field for M {
    fn write_field(&self, number: u32, to: &mut impl Sink) {
        to.varint(u64::from(number) << 3 | 2);
        to.message(self);
    }
}

impl<M: ProtoMessage> Field for Option<M> {
    fn write_field(&self, number: u32, to: &mut impl Sink) {
        if let Some(message) = self {
            message.write_field(number, to);
        }
    }
}

impl<M: ProtoMessage> Field for Vec<M> {
    fn write_field(&self, number: u32, to: &mut impl Sink) {
        for message in self {
            message.write_field(number, to);
        }
    }
}

/// Implements [`ProtoMessage`] for structs from a table of field numbers: `Type { field = number, … }`.
macro_rules! message {
    ($($type:ty { $($field:ident = $number:literal),* $(,)? })*) => {$(
        impl $crate::base::proto::ProtoMessage for $type {
            #[allow(unused_variables, reason = "a message may have no fields")]
            fn write(&self, to: &mut impl $crate::base::proto::Sink) {
                $($crate::base::proto::Field::write_field(&self.$field, $number, to);)*
            }
        }
    )*};
}

/// Implements [`Row`] for a struct, from the same kind of table as the macro `message!`.
macro_rules! row {
    ($type:ty { $($field:ident = $number:literal),* $(,)? }) => {
        $crate::base::proto::message! { $type { $($field = $number),* } }

        impl $crate::base::proto::Row for $type {
            fn set(&mut self, number: u32, content: $crate::base::proto::Content<'_>) {
                match number {
                    $($number => {
                        if let Some(value) = $crate::base::proto::Scalar::read(content) {
                            self.$field = value;
                        }
                    })*
                    _ => {}
                }
            }

            fn name(number: u32) -> Option<&'static str> {
                match number {
                    $($number => Some(stringify!($field)),)*
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use {message, row};
