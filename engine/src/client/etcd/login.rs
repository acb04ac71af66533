//! The login of a client: the client library exchanges a password for a token, and sends the token with each request.
//!
//! Mirrors `getToken` (`client.go`) and `shouldRefreshToken` (`retry_interceptor.go`). If authentication is disabled,
//! the client sends its requests without a token. If a member refuses a token, the client logs in again and repeats the
//! request. Left out: the credentials of TLS certificates.

use std::sync::Arc;

use crate::api::{
    AuthenticateRequest, AuthenticateResponse, Credential, Difference, EtcdError, Profile, Reply,
    Request, RequestAs, Response,
};
use crate::base::digest::Sparse;
use crate::qos::Identity;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Login {
    name: Arc<str>,
    password: Arc<str>,
    state: LoginState,
    /// The client library logs in once more, on a second connection (`NewMaintenance`).
    is_repeated: Sparse<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum LoginState {
    Pending,
    /// The login succeeded, or authentication is disabled and the client has no token.
    Done(Option<Arc<str>>),
}

/// The effect of a reply on a client that logs in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoginOutcome {
    /// The client has a token, or needs none, and sends its requests.
    LoggedIn,
    /// The member refuses the token, so the client logs in again.
    LogsInAgain,
    /// The reply belongs to a request of the client.
    Other,
}

impl Login {
    pub fn new(name: Arc<str>, password: Arc<str>) -> Self {
        Self {
            name,
            password,
            state: LoginState::Pending,
            is_repeated: Sparse(false),
        }
    }

    /// Creates the login for a request whose caller has a password. `profile` is the version of etcdctl.
    pub fn for_request(request: &Request, profile: Profile) -> Option<Self> {
        let Request::As(sent) = request else {
            return None;
        };
        let (Some(Credential::Password(password)), Some(name)) =
            (&*sent.credential, &sent.identity.user)
        else {
            return None;
        };
        let names_endpoint = matches!(
            &*sent.request,
            Request::Status(_) | Request::HashKv(_) | Request::Defragment(_)
        );
        Some(Self {
            is_repeated: Sparse(names_endpoint && !profile.has(Difference::LogsInOnce)),
            ..Self::new(name.clone(), password.clone())
        })
    }

    pub fn is_pending(&self) -> bool {
        self.state == LoginState::Pending
    }

    /// Returns the token; `None` before the login, and while authentication is disabled.
    pub fn token(&self) -> Option<&Arc<str>> {
        match &self.state {
            LoginState::Done(token) => token.as_ref(),
            LoginState::Pending => None,
        }
    }

    /// Logs in again, with the same password.
    pub fn restart(&mut self) {
        self.state = LoginState::Pending;
    }

    pub fn request(&self) -> Request {
        let login = Request::Authenticate(AuthenticateRequest {
            name: self.name.to_string(),
            password: self.password.to_string(),
        });
        self.send_as(login, None)
    }

    /// Returns the request in the form in which the client sends it: with the token instead of the password.
    pub fn with_token(&self, request: &Request) -> Request {
        let token = self.token().cloned();
        match request {
            Request::As(sent) => {
                let mut sent = sent.clone();
                *sent.credential = token.map(Credential::Token);
                Request::As(sent)
            }
            request => self.send_as(request.clone(), token),
        }
    }

    /// Returns the name and the password of the user.
    pub fn user(&self) -> (&str, &str) {
        (&self.name, &self.password)
    }

    fn send_as(&self, request: Request, token: Option<Arc<str>>) -> Request {
        Request::As(Box::new(RequestAs {
            identity: Identity {
                user: Some(self.name.clone()),
                ..Identity::default()
            },
            retry: 0,
            timeout: None,
            request: request.into(),
            credential: Sparse(token.map(Credential::Token)),
        }))
    }

    /// Handles a reply to the login or to a request.
    ///
    /// # Errors
    /// Returns an error if the login fails.
    pub fn take(&mut self, reply: &Reply) -> Result<LoginOutcome, EtcdError> {
        if self.is_pending() {
            let token = match reply {
                Ok(Response::Authenticate(AuthenticateResponse { token, .. })) => (**token).clone(),
                Err(EtcdError::AuthNotEnabled) => None,
                Err(error) => return Err(*error),
                Ok(_) => return Ok(LoginOutcome::Other),
            };
            if std::mem::take(&mut *self.is_repeated) {
                return Ok(LoginOutcome::LoggedIn);
            }
            self.state = LoginState::Done(token);
            return Ok(LoginOutcome::LoggedIn);
        }
        Ok(match reply {
            Err(
                EtcdError::InvalidAuthToken | EtcdError::AuthOldRevision | EtcdError::UserEmpty,
            ) => {
                self.restart();
                LoginOutcome::LogsInAgain
            }
            _ => LoginOutcome::Other,
        })
    }
}
