//! Hashes of passwords.
//!
//! etcd stores a bcrypt hash of each password. The simulator stores a SHA-256 in the form and length of a bcrypt hash:
//! the cost of bcrypt is part of the cost model, and the salt is a constant, so that equal runs have equal rows. The
//! member accepts every password of a user whose row comes from a database file of a real etcd, because the simulator
//! cannot compare such a hash.

use sha2::{Digest, Sha256};

use crate::base::Bytes;

/// The maximum length of a password in bytes. bcrypt ignores further bytes; etcd refuses such a password since 3.5.
pub const PASSWORD_BYTES_MAX: usize = 72;

/// The start of each hash: the version and the cost of bcrypt, and 22 characters of salt.
const START: &[u8] = b"$2a$10$Watchglass/simulation.";

/// The number of characters after the salt.
const DIGITS: usize = 31;

const ALPHABET: &[u8; 64] = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Returns the hash of a password.
///
/// ```
/// use watchglass_engine::auth::hash;
/// assert_eq!(hash("secret").len(), 60); // as a bcrypt hash
/// assert_ne!(hash("secret"), hash("Secret"));
/// ```
pub fn hash(password: &str) -> Bytes {
    let bytes = password.as_bytes();
    let digest = Sha256::digest(&bytes[..bytes.len().min(PASSWORD_BYTES_MAX)]);
    let mut text = START.to_vec();
    text.extend(
        digest[..DIGITS]
            .iter()
            .map(|b| ALPHABET[usize::from(b & 63)]),
    );
    Bytes::from(text)
}

/// Returns true if a stored hash is the hash of the password, or if the hash comes from a real etcd. An empty hash
/// matches no password.
pub(super) fn matches(stored: &[u8], password: &str) -> bool {
    match stored.starts_with(START) {
        true => *hash(password) == *stored,
        false => !stored.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_password_matches() {
        assert!(matches(&hash("a"), "a"));
        assert!(!matches(&hash("a"), "b"));
        assert!(!matches(b"", ""));
    }

    #[test]
    fn a_hash_of_a_real_etcd_matches_any_password() {
        let bcrypt = b"$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";
        assert!(matches(bcrypt, "anything"));
    }
}
