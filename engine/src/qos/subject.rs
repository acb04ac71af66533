//! The caller of a request, and the callers that a rule applies to.

use std::fmt;
use std::sync::Arc;

/// The caller of a request. While authentication is enabled, the user is that of the login. Otherwise, rules use the
/// name from `--user`; a real etcd without authentication ignores the name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// The name of the user; `None` without `--user`.
    pub user: Option<Arc<str>>,
    /// The IPv4 address of the client.
    pub address: u32,
}

impl Identity {
    /// The loopback address, 127.0.0.1.
    pub const LOOPBACK: u32 = 0x7f00_0001;
}

impl Default for Identity {
    fn default() -> Self {
        Self {
            user: None,
            address: Self::LOOPBACK,
        }
    }
}

/// The callers that a rule applies to: a user, an address range, or a user in an address range.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct QosSubject {
    /// The user; `None` for any user.
    pub user: Option<Arc<str>>,
    /// The addresses; `None` for any address.
    pub addresses: Option<AddressRange>,
}

impl QosSubject {
    pub fn matches(&self, caller: &Identity) -> bool {
        let has_user = self.user.is_none() || self.user == caller.user;
        has_user && self.addresses.is_none_or(|a| a.contains(caller.address))
    }

    /// Returns true if both subjects can match the same caller.
    pub fn overlaps(&self, other: &Self) -> bool {
        let users = match (&self.user, &other.user) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => true,
        };
        users
            && match (self.addresses, other.addresses) {
                (Some(ours), Some(theirs)) => ours.overlaps(theirs),
                _ => true,
            }
    }
}

/// A range of IPv4 addresses: an address or a CIDR block.
///
/// ```
/// use watchglass_engine::qos::AddressRange;
/// let block = AddressRange::parse("10.1.0.0/16").unwrap();
/// assert!(block.contains(AddressRange::parse("10.1.2.3").unwrap().first));
/// assert!(!block.overlaps(AddressRange::parse("10.2.0.0/16").unwrap()));
/// assert_eq!(block.to_string(), "10.1.0.0/16");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AddressRange {
    pub first: u32,
    /// The number of leading bits that all addresses have in common: 32 for a single address.
    pub bits: u32,
}

impl AddressRange {
    /// Parses an address such as `10.1.0.7` or a block such as `10.1.0.0/16`.
    pub fn parse(text: &str) -> Option<Self> {
        let (address, bits) = text.split_once('/').unwrap_or((text, "32"));
        let bits = bits.parse().ok().filter(|bits| *bits <= 32)?;
        let mut bytes = [0; 4];
        let mut parts = address.split('.');
        for byte in &mut bytes {
            *byte = parts.next()?.parse().ok()?;
        }
        if parts.next().is_some() {
            return None;
        }
        let range = Self { first: 0, bits };
        let first = u32::from_be_bytes(bytes) & range.mask();
        Some(Self { first, bits })
    }

    fn mask(self) -> u32 {
        u32::MAX.checked_shl(32 - self.bits).unwrap_or(0)
    }

    pub fn contains(self, address: u32) -> bool {
        address & self.mask() == self.first
    }

    pub fn overlaps(self, other: Self) -> bool {
        self.contains(other.first) || other.contains(self.first)
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d] = self.first.to_be_bytes();
        write!(f, "{a}.{b}.{c}.{d}")?;
        match self.bits {
            32 => Ok(()),
            bits => write!(f, "/{bits}"),
        }
    }
}
