//! The decisions whether a user may make a request, and logins.
//!
//! Mirrors `apply/apply_auth.go` (in 3.7 `apply/auth.go`), `authMaintenanceServer` (`v3rpc/maintenance.go`) and the
//! checks in `v3_server.go`. A member checks reads and requests about itself before it serves them, and the entries of
//! the log when it applies them: each entry contains the user and the auth revision at which the member read the
//! user's token. etcd 3.4 checks less than later versions. A request for QoS, a proposal that no version of etcd has,
//! needs the role `root`. Left out: the requests of HTTP clients.

use std::sync::Arc;

use crate::api::log_entry::{EntryUser, LogEntry};
use crate::api::watch::{INVALID_TOKEN, OLD_REVISION};
use crate::api::{
    AlarmAction, AuthContent, AuthRequest, AuthResponse, AuthenticateRequest, AuthenticateResponse,
    DeleteRangeRequest, Difference, EtcdError, LeaseTimeToLiveRequest, Password, PermissionType,
    Profile, PutRequest, Request, RequestAs, RequestOp, Response, TxnRequest,
};
use crate::auth::{self, AuthInfo, AuthStore, PASSWORD_BYTES_MAX};
use crate::base::Bytes;
use crate::base::ids::Caller;
use crate::base::time::SimTime;
use crate::lease::Lease;
use crate::sim::Outbox;

use super::entries::Waiter;
use super::server::{EtcdServer, MemberTimer};
use super::txn;

type Checked = Result<(), EtcdError>;

/// Returns the token that the client sent with the request, and the request itself.
pub(super) fn token_of(request: &Arc<Request>) -> (Option<&Arc<str>>, &Arc<Request>) {
    match &**request {
        Request::As(sent) => (sent.token(), &sent.request),
        _ => (None, request),
    }
}

/// The work of a member after its processor has computed the hash of a password, or the keys of a TLS connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum AfterWork {
    /// The login succeeds at this auth revision, or fails.
    Login(Arc<Request>, Result<u64, EtcdError>),
    /// The member proposes the request with the hash.
    Propose(Arc<Request>, Option<AuthInfo>),
    /// The member handles the first request of a TLS connection.
    Handle(Arc<Request>),
}

/// A login whose token is proposed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PendingLogin {
    pub(super) caller: Caller,
    request: Arc<Request>,
    /// The auth revision at which the member checked the password.
    checked: u64,
}

/// Creates the entry of a request of a user.
pub(super) fn entry_of(request: Arc<Request>, info: Option<AuthInfo>) -> LogEntry {
    match info {
        None => LogEntry::Request(request),
        Some(AuthInfo { user, revision }) => {
            let (name, auth_revision) = (user, revision);
            LogEntry::UserRequest(
                request,
                EntryUser {
                    name,
                    auth_revision,
                },
            )
        }
    }
}

impl EtcdServer {
    /// Returns the users, roles and tokens.
    pub fn auth(&self) -> &AuthStore {
        &self.auth
    }

    /// Returns the sender of a request for QoS: while authentication is enabled, the user of the token replaces the
    /// name that the client claims.
    pub(super) fn known_sender(&mut self, sender: &RequestAs, now: SimTime) -> RequestAs {
        let mut known = sender.clone();
        if self.auth.is_enabled() && !matches!(*sender.request, Request::Authenticate(_)) {
            known.identity.user = self.user_of(now, sender.token().map(|token| &**token));
        }
        known
    }

    /// Returns the user of a token, if authentication is enabled and the token is valid.
    pub(super) fn user_of(&mut self, now: SimTime, token: Option<&str>) -> Option<Arc<str>> {
        if !self.auth.is_enabled() {
            return None;
        }
        let info = self.auth.info(token, now).unwrap_or_default();
        info.map(|info| info.user)
    }

    /// Returns true if the member has not applied the entry of this token yet. The request then waits for the entry.
    pub(super) fn awaits_token(&self, token: Option<&Arc<str>>) -> bool {
        let index = token.and_then(|token| AuthStore::token_index(token));
        self.auth.is_enabled() && index.is_some_and(|index| index > self.raft_index)
    }

    /// Checks a request before the member serves or proposes it. Returns the user for the entry of the request.
    ///
    /// # Errors
    /// Returns an error if the member refuses the request.
    pub(super) fn authorize(
        &mut self,
        now: SimTime,
        token: Option<&Arc<str>>,
        request: &Request,
    ) -> Result<Option<AuthInfo>, EtcdError> {
        if !self.auth.is_enabled() || !self.reads_token(request) {
            return Ok(None);
        }
        let info = self.auth.info(token.map(|token| &**token), now)?;
        let user = info.as_ref();
        let is_old = !self.profile().has(Difference::ChecksMoreRequests);
        match request {
            Request::Range(r) | Request::RangeStream(r) => {
                self.auth
                    .check_keys(user, PermissionType::Read, &r.key, &r.range_end)?;
            }
            Request::Txn(r) if txn::is_read_only(r) => self.check_txn(user, r)?,
            Request::LeaseGrant(_) | Request::LeaseRevoke(_) if !is_old => {
                self.auth.check_user(user)?;
            }
            Request::Compact(_) if !is_old => self.auth.check_admin(user)?,
            Request::Alarm(r) if !is_old => match r.action {
                // etcdctl lists the alarms, and disarms each alarm with a separate request.
                AlarmAction::Deactivate if r.member_id == 0 && self.alarms().is_empty() => {
                    self.auth.check_user(user)?;
                }
                AlarmAction::Get => self.auth.check_user(user)?,
                AlarmAction::Activate | AlarmAction::Deactivate => self.auth.check_admin(user)?,
            },
            // Checked when the entry is applied, if at all.
            Request::Put(_)
            | Request::DeleteRange(_)
            | Request::Txn(_)
            | Request::LeaseGrant(_)
            | Request::LeaseRevoke(_)
            | Request::Compact(_)
            | Request::Alarm(_)
            | Request::Auth(_) => {}
            Request::Status(_) if self.profile().has(Difference::OpensStatus) => {
                self.auth.check_user(user)?;
            }
            Request::HashKv(_) | Request::Defragment(_) => self.check_maintainer(user)?,
            Request::Status(_)
            | Request::MoveLeader(_)
            | Request::MemberChange(_)
            | Request::Qos(_) => self.auth.check_admin(user)?,
            Request::MemberList(_) => self.auth.check_user(user)?,
            Request::LeaseKeepAlive(r) => {
                self.auth.check_user(user)?;
                let lease = self.lessor.lookup(r.id);
                self.check_leases_keys(user, PermissionType::Write, lease)?;
            }
            Request::LeaseTimeToLive(LeaseTimeToLiveRequest { id, keys }) => {
                self.auth.check_user(user)?;
                let lease = self.lessor.lookup(*id).filter(|_| *keys);
                self.check_leases_keys(user, PermissionType::Read, lease)?;
            }
            Request::LeaseLeases(_) => {
                self.auth.check_user(user)?;
                self.check_leases_keys(user, PermissionType::Read, self.lessor.leases())?;
            }
            Request::Authenticate(_) | Request::As(_) => {}
        }
        Ok(info)
    }

    /// Returns true if the member reads the token of such a request. etcd 3.4 serves several requests without a look at
    /// their tokens.
    fn reads_token(&self, request: &Request) -> bool {
        match request {
            Request::Authenticate(_) => false,
            Request::Status(_)
            | Request::MoveLeader(_)
            | Request::MemberList(_)
            | Request::LeaseKeepAlive(_)
            | Request::LeaseTimeToLive(_)
            | Request::LeaseLeases(_) => self.profile().has(Difference::ChecksMoreRequests),
            _ => true,
        }
    }

    /// Checks a request for a snapshot of the database. `user` is the name and the password of the user.
    ///
    /// # Errors
    /// Returns an error if the password is wrong, or if the user does not have the role `root`.
    pub fn authorize_snapshot(&self, user: Option<(&str, &str)>) -> Checked {
        let info = match user.filter(|_| self.auth.is_enabled()) {
            None => None,
            Some((name, password)) => Some(AuthInfo {
                user: name.into(),
                revision: self.auth.check_password(name, password)?,
            }),
        };
        self.check_maintainer(info.as_ref())
    }

    /// Checks that the user is an administrator (`authMaintenanceServer`).
    fn check_maintainer(&self, info: Option<&AuthInfo>) -> Checked {
        let checked = self.auth.check_admin(info);
        match checked {
            Err(error) if self.profile().has(Difference::CodesMaintenanceErrors) => Err(error),
            Err(EtcdError::UserEmpty) => Err(EtcdError::UserEmptyWithoutCode),
            Err(EtcdError::PermissionDenied) => Err(EtcdError::PermissionDeniedWithoutCode),
            checked => checked,
        }
    }

    /// Checks the create request of a watch. Returns the reason why the member refuses the watch, if it does.
    ///
    /// Before 3.7, the member replaces the end of a watch to the last key before this check, so such a watch needs only
    /// the permission for its first key.
    pub(super) fn watch_refusal(
        &mut self,
        now: SimTime,
        token: Option<&Arc<str>>,
        (key, range_end): (&Bytes, &Bytes),
    ) -> Option<&'static str> {
        let is_whole = self.profile().has(Difference::ChecksWholeWatch);
        let end = match *range_end == Bytes::zero() && !is_whole {
            true => Bytes::default(),
            false => range_end.clone(),
        };
        let info = self.auth.info(token.map(|token| &**token), now);
        let checked = info.and_then(|info| {
            let user = info.as_ref();
            self.auth.check_keys(user, PermissionType::Read, key, &end)
        });
        Some(match checked.err()? {
            EtcdError::InvalidAuthToken => INVALID_TOKEN,
            EtcdError::AuthOldRevision => OLD_REVISION,
            EtcdError::UserEmpty => "etcdserver: user name is empty",
            _ => "etcdserver: permission denied",
        })
    }

    /// Checks the entry of a request when the member applies the entry.
    ///
    /// # Errors
    /// Returns an error if the user may not make the request.
    pub(super) fn authorize_entry(&self, request: &Request, user: Option<&EntryUser>) -> Checked {
        if !self.auth.is_enabled() {
            return Ok(());
        }
        let info = user.map(|user| AuthInfo {
            user: user.name.clone(),
            revision: user.auth_revision,
        });
        let info = info.as_ref();
        match request {
            Request::Put(r) => self.check_put(info, r),
            Request::DeleteRange(r) => {
                self.check_range(info, PermissionType::Write, r)?;
                match r.prev_kv {
                    true => self.check_range(info, PermissionType::Read, r),
                    false => Ok(()),
                }
            }
            Request::Txn(r) => self.check_txn(info, r),
            Request::LeaseRevoke(r) => self.check_lease_puts(info, r.id),
            Request::Auth(r) => self.check_auth_request(info, r),
            Request::Range(_)
            | Request::RangeStream(_)
            | Request::Compact(_)
            | Request::HashKv(_)
            | Request::Status(_)
            | Request::LeaseGrant(_)
            | Request::LeaseKeepAlive(_)
            | Request::LeaseTimeToLive(_)
            | Request::LeaseLeases(_)
            | Request::Alarm(_)
            | Request::Defragment(_)
            | Request::Authenticate(_)
            | Request::Qos(_)
            | Request::As(_)
            | Request::MoveLeader(_)
            | Request::MemberList(_)
            | Request::MemberChange(_) => Ok(()),
        }
    }

    fn check_auth_request(&self, info: Option<&AuthInfo>, request: &AuthRequest) -> Checked {
        let admin = self.auth.check_admin(info);
        let name = info.map_or("", |info| &*info.user);
        let is_permitted = match request {
            AuthRequest::AssignToken { .. } => true,
            AuthRequest::UserGet { name: wanted } => wanted == name,
            AuthRequest::RoleGet { role } => self.auth.has_role(name, role),
            AuthRequest::Status => self.profile().has(Difference::OpensAuthStatus),
            _ => false,
        };
        match is_permitted {
            true => Ok(()),
            false => admin,
        }
    }

    fn check_range(
        &self,
        info: Option<&AuthInfo>,
        kind: PermissionType,
        r: &DeleteRangeRequest,
    ) -> Checked {
        self.auth.check_keys(info, kind, &r.key, &r.range_end)
    }

    fn check_put(&self, info: Option<&AuthInfo>, r: &PutRequest) -> Checked {
        let point = Bytes::default();
        self.auth
            .check_keys(info, PermissionType::Write, &r.key, &point)?;
        self.check_lease_puts(info, r.lease)?;
        match r.prev_kv {
            true => self
                .auth
                .check_keys(info, PermissionType::Read, &r.key, &point),
            false => Ok(()),
        }
    }

    /// Returns true if the member checks a put in a transaction like any other put. Otherwise, it checks only the key.
    /// The fix is in 3.5.30 and 3.7.1, but not in 3.6.10.
    fn checks_puts_in_txns(&self) -> bool {
        self.profile().plain() == Profile::V3_5 || self.profile().has(Difference::ChecksPutsInTxns)
    }

    /// Checks a transaction: all compares, and the operations of both branches.
    fn check_txn(&self, info: Option<&AuthInfo>, r: &TxnRequest) -> Checked {
        for compare in &r.compare {
            self.auth
                .check_keys(info, PermissionType::Read, &compare.key, &compare.range_end)?;
        }
        for op in r.success.iter().chain(&r.failure) {
            match op {
                RequestOp::Range(r) => {
                    self.auth
                        .check_keys(info, PermissionType::Read, &r.key, &r.range_end)?;
                }
                RequestOp::Put(r) if self.checks_puts_in_txns() => self.check_put(info, r)?,
                RequestOp::Put(r) => {
                    let point = Bytes::default();
                    self.auth
                        .check_keys(info, PermissionType::Write, &r.key, &point)?;
                }
                RequestOp::DeleteRange(r) => {
                    if r.prev_kv {
                        self.check_range(info, PermissionType::Read, r)?;
                    }
                    self.check_range(info, PermissionType::Write, r)?;
                }
                RequestOp::Txn(r) if self.profile().has(Difference::ChecksNestedTxns) => {
                    self.check_txn(info, r)?;
                }
                RequestOp::Txn(_) | RequestOp::Empty => {}
            }
        }
        Ok(())
    }

    /// Checks whether a user may write all keys of a lease. A user who may not revoke a lease may not attach keys to
    /// the lease either.
    fn check_lease_puts(&self, info: Option<&AuthInfo>, lease: i64) -> Checked {
        self.check_leases_keys(info, PermissionType::Write, self.lessor.lookup(lease))
    }

    fn check_leases_keys<'a>(
        &self,
        info: Option<&AuthInfo>,
        kind: PermissionType,
        leases: impl IntoIterator<Item = &'a Lease>,
    ) -> Checked {
        if self.auth.check_admin(info).is_ok() {
            return Ok(());
        }
        for key in leases.into_iter().flat_map(|lease| lease.keys.iter()) {
            self.auth.check_keys(info, kind, key, &Bytes::default())?;
        }
        Ok(())
    }

    // Logins and passwords.

    /// Begins a login: the processor computes the hash of the password, unless the user cannot log in at all.
    ///
    /// # Errors
    /// Returns an error if no user has this name, or if the user has no password.
    pub(super) fn begin_login(
        &mut self,
        caller: Caller,
        (request, login): (&Arc<Request>, &AuthenticateRequest),
        out: &mut Outbox<MemberTimer>,
    ) -> Checked {
        let checked = self.auth.check_password(&login.name, &login.password);
        if self.auth.user(&login.name).is_none() || checked == Err(EtcdError::NoPasswordUser) {
            checked?;
        }
        self.hash_password(caller, AfterWork::Login(request.clone(), checked), out);
        Ok(())
    }

    /// Proposes a request about users or roles. If the request contains a password, the processor first computes the
    /// hash of the password.
    ///
    /// # Errors
    /// Returns an error if the member does not accept the password.
    pub(super) fn propose_auth(
        &mut self,
        caller: Caller,
        (request, info): (&Arc<Request>, Option<AuthInfo>),
        out: &mut Outbox<MemberTimer>,
    ) -> Checked {
        let Request::Auth(content) = &**request else {
            return Ok(());
        };
        if *content == AuthRequest::Status && !self.profile().has(Difference::HasAuthStatus) {
            return Err(EtcdError::UnknownMethod);
        }
        let password = match content {
            AuthRequest::UserAdd { password, .. } => password.as_ref(),
            AuthRequest::UserChangePassword { password, .. } => Some(password),
            _ => None,
        };
        let Some(Password::Plain(text)) = password else {
            return self.propose_request(request.clone(), info, Waiter::Caller(caller));
        };
        let hashes_before = self.profile().has(Difference::HashesBeforeProposal);
        if text.len() > PASSWORD_BYTES_MAX && hashes_before {
            return Err(EtcdError::PasswordTooLong);
        }
        let hashed = match content {
            AuthRequest::UserChangePassword { .. } if text.is_empty() && hashes_before => {
                Password::Hashed(Bytes::default())
            }
            _ => Password::Hashed(auth::hash(text)),
        };
        let mut content = content.clone();
        match &mut content {
            AuthRequest::UserAdd { password, .. } => *password = Some(hashed),
            AuthRequest::UserChangePassword { password, .. } => *password = hashed,
            _ => {}
        }
        let request = Request::Auth(content).into();
        self.hash_password(caller, AfterWork::Propose(request, info), out);
        Ok(())
    }

    /// Continues when the processor has computed the hash of a password, or the keys of a TLS connection.
    pub(super) fn continue_with(
        &mut self,
        caller: Caller,
        after: AfterWork,
        out: &mut Outbox<MemberTimer>,
    ) {
        let proposed = match after {
            AfterWork::Handle(request) => return self.handle(caller, &request, out),
            AfterWork::Login(_, Err(error)) => Err(error),
            AfterWork::Login(request, Ok(checked)) => self.propose_token(caller, request, checked),
            AfterWork::Propose(request, info) => {
                self.propose_request(request, info, Waiter::Caller(caller))
            }
        };
        self.reply(caller, proposed.map(|()| None), out);
        self.apply_committed(out);
    }

    fn propose_token(&mut self, caller: Caller, request: Arc<Request>, checked: u64) -> Checked {
        let Request::Authenticate(login) = &*request else {
            return Ok(());
        };
        let (member, index) = (self.member_id(), self.raft_index);
        let token = self.auth.token_request(&login.name, member, index);
        let pending = PendingLogin {
            caller,
            request: request.clone(),
            checked,
        };
        self.propose_request(Request::Auth(token).into(), None, Waiter::Login(pending))
    }

    /// Ends a login whose entry is applied. If users or roles changed after the check of the password, the member
    /// checks the password again.
    pub(super) fn login_applied(
        &mut self,
        login: PendingLogin,
        result: Result<Option<Response>, EtcdError>,
        out: &mut Outbox<MemberTimer>,
    ) {
        let caller = login.caller;
        let answer = match (result, &*login.request) {
            (Ok(_), Request::Authenticate(r)) if login.checked != self.auth.revision() => self
                .begin_login(caller, (&login.request, r), out)
                .map(|()| None),
            (Ok(Some(Response::Auth(r))), _) => Ok(login_response(r)),
            (result, _) => result,
        };
        self.reply(caller, answer, out);
    }

    pub(super) fn apply_auth(
        &mut self,
        now: SimTime,
        request: &AuthRequest,
    ) -> Result<AuthResponse, EtcdError> {
        let profile = self.profile();
        let content = match request {
            AuthRequest::AssignToken { name, simple_token } => {
                let index = self.raft_index;
                let token = self.auth.assign_token(name, simple_token, index, now)?;
                AuthContent::Token(token)
            }
            request => self.auth.apply(request, self.kv.backend_mut(), profile)?,
        };
        Ok(content.into())
    }
}

fn login_response(response: AuthResponse) -> Option<Response> {
    let AuthContent::Token(token) = response.content else {
        return None;
    };
    let mut login = AuthenticateResponse::default();
    *login.token = Some(token);
    Some(Response::Authenticate(login))
}
