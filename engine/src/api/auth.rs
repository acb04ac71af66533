//! The request with which a user logs in, and its response.
//!
//! Mirrors `AuthenticateRequest` and `AuthenticateResponse` of `rpc.proto`.

use crate::base::proto::message;

use super::ResponseHeader;

/// `Auth.Authenticate`: checks a password, which costs processor time, and returns a token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AuthenticateRequest {
    /// The name of the user.
    pub name: String,
    /// The password. The simulator accepts every password.
    pub password: String,
}

/// The response to [`AuthenticateRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AuthenticateResponse {
    /// The responding member and its revision.
    pub header: ResponseHeader,
}

message! {
    AuthenticateRequest { name = 1, password = 2 }
}
