//! Encryption at rest: the keys of an `EncryptionConfiguration`, and the values that API servers have encrypted with
//! them.
//!
//! Mirrors `storage/value/encrypt/aes` and `secretbox`, and the prefixes of `server/options/encryptionconfig` in
//! `k8s.io/apiserver`. Left out: `kms`, whose keys never leave a key management service.

use std::fmt;

use aes::cipher::block_padding::Pkcs7;
use aes::cipher::{BlockModeDecrypt, KeyIvInit, StreamCipher};
use aes::{Aes128, Aes192, Aes256};
use aes_gcm::aead::consts::U12;
use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes128Gcm, Aes256Gcm, AesGcm, Nonce};
use cbc::Decryptor;
use poly1305::Poly1305;
use salsa20::XSalsa20;

use super::stored_object::{ENCRYPTED, PROTOBUF};
use crate::base::base64;

const IV: usize = 16;
const NONCE: usize = 12;
const SECRETBOX_NONCE: usize = 24;
/// The bytes of the authenticator before a value of `secretbox`.
const TAG: usize = 16;

/// The keys with which values are decrypted.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct EncryptionKeys(Vec<EncryptionKey>);

#[derive(Clone, PartialEq, Eq)]
struct EncryptionKey {
    /// The name in the configuration; `None` for a key that was given without a name.
    name: Option<String>,
    bytes: Vec<u8>,
}

/// The keys are in no message about a failure.
impl fmt::Debug for EncryptionKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} keys", self.0.len())
    }
}

impl EncryptionKeys {
    /// Reads the keys in the text of an `EncryptionConfiguration`, or a single key in base64. Returns `None` if the
    /// text contains no key of 16, 24 or 32 bytes.
    ///
    /// ```
    /// use watchglass_engine::kube::encryption::EncryptionKeys;
    /// let keys = "- aescbc:\n    keys:\n    - name: key1\n      secret: AAECAwQFBgcICQoLDA0ODw==\n";
    /// assert!(EncryptionKeys::read(keys).is_some());
    /// assert!(EncryptionKeys::read("AAECAwQFBgcICQoLDA0ODw==").is_some());
    /// assert!(EncryptionKeys::read("secret: short").is_none());
    /// ```
    pub fn read(text: &str) -> Option<Self> {
        let decoded = |text: &str| {
            let bytes = base64::decode_padded(unquoted(text));
            bytes.filter(|bytes| [16, 24, 32].contains(&bytes.len()))
        };
        let (mut keys, mut name) = (Vec::new(), None);
        for line in text.lines() {
            let line = line.trim().trim_start_matches("- ").trim_start();
            if let Some(value) = line.strip_prefix("name:") {
                name = Some(unquoted(value).to_owned());
            } else if let Some(bytes) = line.strip_prefix("secret:").and_then(decoded) {
                let name = name.take();
                keys.push(EncryptionKey { name, bytes });
            }
        }
        if let (true, Some(bytes)) = (keys.is_empty(), decoded(text)) {
            keys.push(EncryptionKey { name: None, bytes });
        }
        (!keys.is_empty()).then_some(Self(keys))
    }

    /// Decrypts the stored value of a key of etcd; `None` if no key decrypts the value, or if it is not encrypted.
    pub fn decrypt(&self, path: &[u8], stored: &[u8]) -> Option<Vec<u8>> {
        if self.0.is_empty() {
            return None;
        }
        let mut parts = stored
            .strip_prefix(ENCRYPTED)?
            .splitn(4, |byte| *byte == b':');
        let (provider, version) = (parts.next()?, parts.next()?);
        let (name, data) = (parts.next()?, parts.next()?);
        let decrypt = match (provider, version) {
            (b"aescbc", b"v1") => decrypt_cbc,
            (b"aesgcm", b"v1") => decrypt_gcm,
            (b"secretbox", b"v1") => decrypt_secretbox,
            _ => return None,
        };
        let of_name = |key: &&EncryptionKey| key.name.as_ref().is_none_or(|n| n.as_bytes() == name);
        let mut plain = self
            .0
            .iter()
            .filter(of_name)
            .filter_map(|key| decrypt(&key.bytes, path, data));
        // CBC does not notice most wrong keys.
        plain.find(|plain| plain.starts_with(PROTOBUF) || plain.starts_with(b"{"))
    }
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

fn decrypt_cbc(key: &[u8], _path: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    fn with<C>(key: &[u8], iv: &[u8], data: &[u8]) -> Option<Vec<u8>>
    where
        Decryptor<C>: KeyIvInit + BlockModeDecrypt,
        C: aes::cipher::BlockCipherDecrypt,
    {
        let cipher = Decryptor::<C>::new_from_slices(key, iv).ok()?;
        let mut buffer = data.to_vec();
        let plain = cipher.decrypt_padded::<Pkcs7>(&mut buffer).ok()?;
        Some(plain.to_vec())
    }
    let (iv, data) = data.split_at_checked(IV)?;
    match key.len() {
        16 => with::<Aes128>(key, iv, data),
        24 => with::<Aes192>(key, iv, data),
        _ => with::<Aes256>(key, iv, data),
    }
}

/// Decrypts a value that is bound to its key of etcd.
fn decrypt_gcm(key: &[u8], path: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    fn with<C: KeyInit + Aead<NonceSize = U12>>(
        key: &[u8],
        nonce: &[u8],
        payload: Payload<'_, '_>,
    ) -> Option<Vec<u8>> {
        let nonce = Nonce::try_from(nonce).ok()?;
        C::new_from_slice(key).ok()?.decrypt(&nonce, payload).ok()
    }
    let (nonce, msg) = data.split_at_checked(NONCE)?;
    let payload = Payload { msg, aad: path };
    match key.len() {
        16 => with::<Aes128Gcm>(key, nonce, payload),
        24 => with::<AesGcm<Aes192, U12>>(key, nonce, payload),
        _ => with::<Aes256Gcm>(key, nonce, payload),
    }
}

/// Opens a box of NaCl: the authenticator, then the value.
fn decrypt_secretbox(key: &[u8], _path: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let (nonce, sealed) = data.split_at_checked(SECRETBOX_NONCE)?;
    let (tag, value) = sealed.split_at_checked(TAG)?;
    let mut cipher = XSalsa20::new_from_slices(key, nonce).ok()?;
    // The first bytes of the key stream are the key of the authenticator.
    let mut one_time = poly1305::Key::default();
    cipher.apply_keystream(&mut one_time);
    let computed = Poly1305::new(&one_time).compute_unpadded(value);
    let mut plain = value.to_vec();
    cipher.apply_keystream(&mut plain);
    (computed.as_slice() == tag).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    const SHORT_KEY: &str = "AAECAwQFBgcICQoLDA0ODw==";
    const PATH: &[u8] = b"/registry/secrets/a/b";

    /// `{"kind":"Secret"}`, encrypted by the libraries `cryptography` and `PyNaCl` of Python.
    const CBC: &str = "AAECAwQFBgcICQoLDA0ODx6Z9CqH2574qyoonvyCBY2bbfPDuAYVfidmPWWRJLt6";
    const GCM: &str = "AAECAwQFBgcICQoLPCC9cquB4CGvEvLow4wMT/6XrO+FPqCZPzC3ELTm5bbq";
    const SHORT_GCM: &str = "AAECAwQFBgcICQoL6E7Mpwh/1W5pgQTpRMYEKs6i47NL3roIvRspvZd6TxbF";

    const SECRETBOX: &str =
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXBOoFHUUxH5ixuPpCb8pB0CXdUyaproAqmW/qXRrqPrUv";

    fn stored(head: &str, data: &str) -> Vec<u8> {
        let data = base64::decode_padded(data).expect("base64");
        [b"k8s:enc:", head.as_bytes(), &data].concat()
    }

    fn keys(text: &str) -> EncryptionKeys {
        EncryptionKeys::read(text).expect("keys")
    }

    #[test]
    fn values_are_decrypted_with_the_key_of_their_name() {
        let config = format!(
            "providers:\n- aescbc:\n    keys:\n    - name: key2\n      secret: {SHORT_KEY}\n    \
             - name: \"key1\"\n      secret: \"{KEY}\"\n- identity: {{}}\n"
        );
        let plain = Some(b"{\"kind\":\"Secret\"}".to_vec());
        for (keys, head, data) in [
            (keys(&config), "aescbc:v1:key1:", CBC),
            (keys(KEY), "aescbc:v1:key1:", CBC),
            (keys(&config), "aesgcm:v1:key1:", GCM),
            (keys(&config), "aesgcm:v1:key2:", SHORT_GCM),
            (keys(SHORT_KEY), "aesgcm:v1:any:", SHORT_GCM),
            (keys(&config), "secretbox:v1:key1:", SECRETBOX),
            (keys(KEY), "secretbox:v1:any:", SECRETBOX),
        ] {
            assert_eq!(keys.decrypt(PATH, &stored(head, data)), plain, "{head}");
        }
    }

    #[test]
    fn other_values_are_not_decrypted() {
        let keys = keys(KEY);
        for (path, head, data) in [
            (PATH, "aescbc:v1:key1:", GCM),
            (PATH, "aesgcm:v1:key1:", SHORT_GCM),
            // A value that was moved to another key of etcd.
            (b"/registry/secrets/a/c", "aesgcm:v1:key1:", GCM),
            (PATH, "secretbox:v1:key1:", GCM),
            (PATH, "secretbox:v1:key1:", "AAEC"),
            (PATH, "aesgcm:v2:key1:", GCM),
            (PATH, "aesgcm:v1:", ""),
            (PATH, "aescbc:v1:key1:", "AAEC"),
        ] {
            assert_eq!(keys.decrypt(path, &stored(head, data)), None, "{head}");
        }
        assert_eq!(keys.decrypt(PATH, b"{}"), None);
    }
}
