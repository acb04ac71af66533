//! Users, roles and tokens of etcd: who may read and write which keys.
//!
//! Mirrors `server/auth`: [`AuthStore`] is the state machine (`store.go`), [`RangePermissions`] merges the permissions
//! of a user's roles (`range_perm_cache.go`), and [`SimpleTokens`] stores the tokens of logins (`simple_token.go`). The
//! member decides which requests need a user (`etcd/auth.rs`). Left out: bcrypt (a password's hash only has the length
//! of a bcrypt hash), JSON Web Tokens, and the common names of TLS certificates.

mod password;
mod range_permissions;
mod row;
mod store;
mod tokens;

pub use password::{PASSWORD_BYTES_MAX, hash};
pub use range_permissions::RangePermissions;
pub use row::{RoleRow, UserRow};
pub use store::{AuthInfo, AuthStore, ROOT};
pub use tokens::{SimpleTokens, TOKEN_TTL};
