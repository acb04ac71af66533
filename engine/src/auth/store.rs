//! The state machine of authentication: enabled or not, the users, the roles, and the auth revision, which counts their
//! changes.
//!
//! Mirrors `authStore` (`server/auth/store.go`). The rows are in the buckets `auth`, `authUsers` and `authRoles`. The
//! store also holds the decoded rows in memory, and reads the rows again after a start ([`AuthStore::recover`]).

use std::sync::Arc;

use crate::api::{
    AuthContent, AuthRequest, Difference, EtcdError, Password, Permission, PermissionType, Profile,
};
use crate::backend::{Backend, Bucket};
use crate::base::Bytes;
use crate::base::ordered::OrdMap;
use crate::base::proto::{Row, decode, encode};
use crate::base::small_sort::SmallSort;
use crate::base::time::SimTime;

use super::range_permissions::{RangePermissions, is_valid};
use super::row::{RoleRow, UserRow};
use super::tokens::{SimpleTokens, index_of, random_letters};
use super::{hash, password};

/// The name of the user and of the role that may do everything.
pub const ROOT: &str = "root";

const ENABLED: &str = "authEnabled";
const REVISION: &str = "authRevision";

/// The auth revision of a new member.
const FIRST_REVISION: u64 = 1;

/// The user that a request comes from, and the auth revision at which the member read the request's token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AuthInfo {
    pub user: Arc<str>,
    pub revision: u64,
}

/// The users, roles and tokens of a member.
///
/// ```
/// use watchglass_engine::api::{AuthRequest, EtcdError, Password, Profile};
/// use watchglass_engine::auth::AuthStore;
/// use watchglass_engine::backend::Backend;
/// let (mut store, mut backend) = (AuthStore::default(), Backend::default());
/// let mut apply = |request| store.apply(&request, &mut backend, Profile::default());
/// assert_eq!(apply(AuthRequest::Enable), Err(EtcdError::RootUserNotExist));
/// let password = Some(Password::Plain("secret".into()));
/// assert!(apply(AuthRequest::UserAdd { name: "root".into(), password }).is_ok());
/// assert_eq!(apply(AuthRequest::Enable), Err(EtcdError::RootRoleNotExist));
/// assert_eq!(store.revision(), 2); // one change
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AuthStore {
    enabled: bool,
    revision: u64,
    users: OrdMap<Arc<str>, UserRow>,
    roles: OrdMap<Arc<str>, RoleRow>,
    /// The merged permissions of each user (`rangePermCache`).
    permissions: OrdMap<Arc<str>, RangePermissions>,
    tokens: SimpleTokens,
}

impl Default for AuthStore {
    fn default() -> Self {
        Self {
            enabled: false,
            revision: FIRST_REVISION,
            users: OrdMap::new(),
            roles: OrdMap::new(),
            permissions: OrdMap::new(),
            tokens: SimpleTokens::default(),
        }
    }
}

fn rows<R: Row>(backend: &Backend, bucket: Bucket) -> Vec<R> {
    let rows = backend.rows(bucket);
    rows.filter_map(|(_, value)| decode(&value)).collect()
}

impl AuthStore {
    /// Reads the state from the rows of a database. The process has no tokens yet.
    pub fn recover(backend: &Backend) -> Self {
        let value = |key: &str| backend.get(Bucket::Auth, &key.into());
        let enabled = value(ENABLED).is_some_and(|value| *value == [1]);
        let revision = value(REVISION).and_then(|value| (*value).try_into().ok());
        let users = rows::<UserRow>(backend, Bucket::AuthUsers).into_iter();
        let roles = rows::<RoleRow>(backend, Bucket::AuthRoles).into_iter();
        let mut store = Self {
            enabled,
            revision: revision.map_or(FIRST_REVISION, u64::from_be_bytes),
            users: users.map(|user| (user.name.clone(), user)).collect(),
            roles: roles.map(|role| (role.name.clone(), role)).collect(),
            ..Self::default()
        };
        store.merge_permissions();
        store
    }

    /// Replaces the state by the state of another database, and keeps the tokens of the process.
    pub fn replace(&mut self, backend: &Backend) {
        let tokens = std::mem::take(&mut self.tokens);
        *self = Self::recover(backend);
        self.tokens = tokens;
    }

    /// Returns true if requests need a user.
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Returns the auth revision, which counts the changes to users and roles.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    pub fn tokens(&self) -> &SimpleTokens {
        &self.tokens
    }

    pub fn user(&self, name: &str) -> Option<&UserRow> {
        self.users.get(name)
    }

    // Logins.

    /// Checks a password. Returns the auth revision of the check.
    ///
    /// # Errors
    /// Returns an error if the user cannot log in with this password, or if authentication is disabled.
    pub fn check_password(&self, name: &str, password: &str) -> Result<u64, EtcdError> {
        if !self.enabled {
            return Err(EtcdError::AuthNotEnabled);
        }
        let user = self.users.get(name).ok_or(EtcdError::AuthFailed)?;
        if user.no_password == Some(true) {
            return Err(EtcdError::NoPasswordUser);
        }
        match password::matches(&user.password, password) {
            true => Ok(self.revision),
            false => Err(EtcdError::AuthFailed),
        }
    }

    /// Returns the request that assigns a new token to a user. `member` and `index` identify the login.
    pub fn token_request(&self, name: &str, member: u64, index: u64) -> AuthRequest {
        AuthRequest::AssignToken {
            name: name.into(),
            simple_token: random_letters(member, index, self.revision),
        }
    }

    /// Assigns a token to a user, at the raft index of the entry of the login.
    ///
    /// # Errors
    /// Returns an error if the user no longer exists, or if authentication is disabled.
    pub fn assign_token(
        &mut self,
        name: &str,
        simple_token: &str,
        index: u64,
        now: SimTime,
    ) -> Result<Arc<str>, EtcdError> {
        if !self.enabled {
            return Err(EtcdError::AuthNotEnabled);
        }
        let user = self.users.get(name).ok_or(EtcdError::AuthFailed)?;
        if user.no_password == Some(true) {
            return Err(EtcdError::AuthFailed);
        }
        let token: Arc<str> = format!("{simple_token}.{index}").into();
        self.tokens.assign(token.clone(), user.name.clone(), now);
        Ok(token)
    }

    /// Returns the raft index that the member must have applied before it knows this token; `None` if the text is not a
    /// token.
    pub fn token_index(token: &str) -> Option<u64> {
        index_of(token)
    }

    /// Returns the user of a request, from the request's token. Returns `None` if the request has no token or if
    /// authentication is disabled.
    ///
    /// # Errors
    /// Returns an error if the member does not know the token.
    pub fn info(
        &mut self,
        token: Option<&str>,
        now: SimTime,
    ) -> Result<Option<AuthInfo>, EtcdError> {
        let Some(token) = token.filter(|_| self.enabled) else {
            return Ok(None);
        };
        let user = self.tokens.user_of(token, now);
        let user = user.ok_or(EtcdError::InvalidAuthToken)?;
        let revision = self.revision;
        Ok(Some(AuthInfo { user, revision }))
    }

    /// Returns the user for requests of the member itself (`WithRoot`); `None` if authentication is disabled.
    pub fn own_info(&self) -> Option<AuthInfo> {
        self.enabled.then(|| AuthInfo {
            user: ROOT.into(),
            revision: self.revision,
        })
    }

    // Permissions.

    /// Checks whether a user may read or write the keys of a request.
    ///
    /// # Errors
    /// Returns an error if the request is not permitted.
    pub fn check_keys(
        &self,
        info: Option<&AuthInfo>,
        kind: PermissionType,
        key: &Bytes,
        range_end: &Bytes,
    ) -> Result<(), EtcdError> {
        if !self.enabled {
            return Ok(());
        }
        let info = info.ok_or(EtcdError::UserEmpty)?;
        if info.revision < self.revision {
            return Err(EtcdError::AuthOldRevision);
        }
        let user = self.users.get(&info.user);
        let user = user.ok_or(EtcdError::PermissionDenied)?;
        let permissions = self.permissions.get(&info.user);
        let is_permitted = has_role(user, ROOT)
            || permissions.is_some_and(|all| all.permits(kind, key, range_end));
        match is_permitted {
            true => Ok(()),
            false => Err(EtcdError::PermissionDenied),
        }
    }

    /// Checks whether a user has the role `root`.
    ///
    /// # Errors
    /// Returns an error if the user does not have the role.
    pub fn check_admin(&self, info: Option<&AuthInfo>) -> Result<(), EtcdError> {
        if !self.enabled {
            return Ok(());
        }
        let info = info.ok_or(EtcdError::UserEmpty)?;
        let user = self.users.get(&info.user);
        match has_role(user.ok_or(EtcdError::UserNotFound)?, ROOT) {
            true => Ok(()),
            false => Err(EtcdError::PermissionDenied),
        }
    }

    /// Checks whether a request has a user.
    ///
    /// # Errors
    /// Returns an error if the request has no user although authentication is enabled.
    pub fn check_user(&self, info: Option<&AuthInfo>) -> Result<(), EtcdError> {
        match self.enabled && info.is_none() {
            true => Err(EtcdError::UserEmpty),
            false => Ok(()),
        }
    }

    pub fn has_role(&self, user: &str, role: &str) -> bool {
        self.users
            .get(user)
            .is_some_and(|user| has_role(user, role))
    }

    fn merge_permissions(&mut self) {
        let users = self.users.values();
        let merged = users.map(|user| {
            let roles = user.roles.iter().filter_map(|role| self.roles.get(role));
            let mut all = RangePermissions::default();
            for permission in roles.flat_map(|role| &role.permissions) {
                all.add(permission);
            }
            (user.name.clone(), all)
        });
        self.permissions = merged.collect();
    }

    // Changes.

    /// Applies a request, except the assignment of a token.
    ///
    /// # Errors
    /// Returns an error if the request is not valid in the current state.
    ///
    /// # Panics
    /// Panics on [`AuthRequest::AssignToken`], which [`AuthStore::assign_token`] applies.
    pub fn apply(
        &mut self,
        request: &AuthRequest,
        backend: &mut Backend,
        profile: Profile,
    ) -> Result<AuthContent, EtcdError> {
        let mut writer = Writer {
            store: self,
            backend,
            profile,
        };
        match request {
            AuthRequest::Enable => writer.enable()?,
            AuthRequest::Disable => writer.disable(),
            AuthRequest::Status => {
                return Ok(AuthContent::Status {
                    enabled: self.enabled,
                    auth_revision: self.revision,
                });
            }
            AuthRequest::UserAdd { name, password } => writer.add_user(name, password.as_ref())?,
            AuthRequest::UserDelete { name } => writer.delete_user(name)?,
            AuthRequest::UserGet { name } => {
                let user = self.users.get(name.as_str());
                let user = user.ok_or(EtcdError::UserNotFound)?;
                return Ok(AuthContent::Roles(user.roles.clone()));
            }
            AuthRequest::UserList => {
                return Ok(AuthContent::Users(self.users.keys().cloned().collect()));
            }
            AuthRequest::UserChangePassword { name, password } => {
                writer.change_password(name, password)?;
            }
            AuthRequest::UserGrantRole { user, role } => writer.grant_role(user, role)?,
            AuthRequest::UserRevokeRole { name, role } => writer.revoke_role(name, role)?,
            AuthRequest::RoleAdd { name } => writer.add_role(name)?,
            AuthRequest::RoleDelete { role } => writer.delete_role(role)?,
            AuthRequest::RoleGet { role } => {
                let role = self.roles.get(role.as_str());
                let role = role.ok_or(EtcdError::RoleNotFound)?;
                return Ok(AuthContent::Permissions(permissions_of(role, profile)));
            }
            AuthRequest::RoleList => {
                return Ok(AuthContent::Roles(self.roles.keys().cloned().collect()));
            }
            AuthRequest::RoleGrantPermission { name, permission } => {
                let is_checked = profile.has(Difference::ValidatesPermissions);
                if is_checked && !is_valid(&permission.key, &permission.range_end) {
                    return Err(EtcdError::InvalidAuthMgmt);
                }
                writer.grant_permission(name, permission)?;
            }
            AuthRequest::RoleRevokePermission {
                role,
                key,
                range_end,
            } => writer.revoke_permission(role, key, range_end)?,
            AuthRequest::AssignToken { .. } => unreachable!("`assign_token` applies it"),
        }
        Ok(AuthContent::Done)
    }
}

fn has_role(user: &UserRow, role: &str) -> bool {
    user.roles.iter().any(|other| &**other == role)
}

fn permissions_of(role: &RoleRow, profile: Profile) -> Vec<Permission> {
    match &*role.name == ROOT && profile.has(Difference::RootRoleHasKeys) {
        true => vec![Permission {
            kind: PermissionType::ReadWrite,
            key: Bytes::default(),
            range_end: Bytes::zero(),
        }],
        false => role.permissions.clone(),
    }
}

/// Changes the store and its rows together.
struct Writer<'a> {
    store: &'a mut AuthStore,
    backend: &'a mut Backend,
    profile: Profile,
}

impl Writer<'_> {
    fn enable(&mut self) -> Result<(), EtcdError> {
        if self.store.enabled {
            return Ok(());
        }
        let root = self.store.users.get(ROOT);
        let root = root.ok_or(EtcdError::RootUserNotExist)?;
        if !has_role(root, ROOT) {
            return Err(EtcdError::RootRoleNotExist);
        }
        self.set_enabled(true);
        self.backend.commit();
        Ok(())
    }

    fn disable(&mut self) {
        if self.store.enabled {
            self.set_enabled(false);
            self.count_change();
            self.backend.commit();
            self.store.tokens = SimpleTokens::default();
        }
    }

    fn set_enabled(&mut self, enabled: bool) {
        self.store.enabled = enabled;
        let value = Bytes::from(&[u8::from(enabled)][..]);
        self.backend.put(Bucket::Auth, ENABLED.into(), value);
    }

    /// Increases the auth revision, and merges the permissions of all users again.
    fn count_change(&mut self) {
        self.store.revision += 1;
        let value = Bytes::from(&self.store.revision.to_be_bytes()[..]);
        self.backend.put(Bucket::Auth, REVISION.into(), value);
        self.store.merge_permissions();
        // `authBatchTx.Unlock`
        if self.profile.has(Difference::CommitsAuthChanges) {
            self.backend.commit();
        }
    }

    fn user(&self, name: &str) -> Result<UserRow, EtcdError> {
        let user = self.store.users.get(name);
        user.cloned().ok_or(EtcdError::UserNotFound)
    }

    fn role(&self, name: &str) -> Result<RoleRow, EtcdError> {
        let role = self.store.roles.get(name);
        role.cloned().ok_or(EtcdError::RoleNotFound)
    }

    fn put_user(&mut self, user: UserRow) {
        let row = encode(&user).into();
        self.backend
            .put(Bucket::AuthUsers, (*user.name).into(), row);
        self.store.users.insert(user.name.clone(), user);
    }

    fn put_role(&mut self, role: RoleRow) {
        let row = encode(&role).into();
        self.backend
            .put(Bucket::AuthRoles, (*role.name).into(), row);
        self.store.roles.insert(role.name.clone(), role);
    }

    fn add_user(&mut self, name: &str, password: Option<&Password>) -> Result<(), EtcdError> {
        if name.is_empty() {
            return Err(EtcdError::UserEmpty);
        }
        if self.store.users.contains_key(name) {
            return Err(EtcdError::UserAlreadyExists);
        }
        self.put_user(UserRow {
            name: name.into(),
            password: password.map(hashed).unwrap_or_default(),
            roles: Vec::new(),
            no_password: Some(password.is_none()),
        });
        self.count_change();
        Ok(())
    }

    fn delete_user(&mut self, name: &str) -> Result<(), EtcdError> {
        if self.store.enabled && name == ROOT {
            return Err(EtcdError::InvalidAuthMgmt);
        }
        self.user(name)?;
        self.backend.delete(Bucket::AuthUsers, &name.into());
        self.store.users.remove(name);
        self.count_change();
        self.store.tokens.invalidate_user(name);
        Ok(())
    }

    fn change_password(&mut self, name: &str, password: &Password) -> Result<(), EtcdError> {
        let mut user = self.user(name)?;
        user.password = match user.no_password {
            Some(true) => Bytes::default(),
            _ => hashed(password),
        };
        self.put_user(user);
        self.count_change();
        self.store.tokens.invalidate_user(name);
        Ok(())
    }

    fn grant_role(&mut self, name: &str, role: &str) -> Result<(), EtcdError> {
        let mut user = self.user(name)?;
        if role != ROOT {
            self.role(role)?;
        }
        if has_role(&user, role) {
            return Ok(());
        }
        user.roles.push(role.into());
        user.roles.small_sort();
        self.put_user(user);
        self.count_change();
        Ok(())
    }

    fn revoke_role(&mut self, name: &str, role: &str) -> Result<(), EtcdError> {
        if self.store.enabled && name == ROOT && role == ROOT {
            return Err(EtcdError::InvalidAuthMgmt);
        }
        let mut user = self.user(name)?;
        if !has_role(&user, role) {
            return Err(EtcdError::RoleNotGranted);
        }
        user.roles.retain(|other| &**other != role);
        self.put_user(user);
        self.count_change();
        Ok(())
    }

    fn add_role(&mut self, name: &str) -> Result<(), EtcdError> {
        if name.is_empty() {
            return Err(EtcdError::RoleEmpty);
        }
        if self.store.roles.contains_key(name) {
            return Err(EtcdError::RoleAlreadyExists);
        }
        self.put_role(RoleRow {
            name: name.into(),
            permissions: Vec::new(),
        });
        self.count_change();
        Ok(())
    }

    fn delete_role(&mut self, name: &str) -> Result<(), EtcdError> {
        if self.store.enabled && name == ROOT {
            return Err(EtcdError::InvalidAuthMgmt);
        }
        self.role(name)?;
        self.backend.delete(Bucket::AuthRoles, &name.into());
        self.store.roles.remove(name);
        let users = self.store.users.values();
        let users: Vec<UserRow> = users.filter(|user| has_role(user, name)).cloned().collect();
        for mut user in users {
            user.roles.retain(|role| &**role != name);
            self.put_user(user);
        }
        self.count_change();
        Ok(())
    }

    fn grant_permission(&mut self, name: &str, granted: &Permission) -> Result<(), EtcdError> {
        let mut role = self.role(name)?;
        let all = &mut role.permissions;
        // As in etcd, only the first permission with the same key can be replaced. A role can therefore have two
        // permissions for the same keys.
        let place = all.partition_point(|other| other.key < granted.key);
        let same_keys = |other: &&mut Permission| {
            other.key == granted.key && other.range_end == granted.range_end
        };
        match all.get_mut(place).filter(same_keys) {
            Some(existing) => existing.kind = granted.kind,
            None => {
                let end = all.partition_point(|other| other.key <= granted.key);
                all.insert(end, granted.clone());
            }
        }
        self.put_role(role);
        self.count_change();
        Ok(())
    }

    fn revoke_permission(
        &mut self,
        name: &str,
        key: &Bytes,
        range_end: &Bytes,
    ) -> Result<(), EtcdError> {
        let mut role = self.role(name)?;
        let before = role.permissions.len();
        role.permissions
            .retain(|other| other.key != *key || other.range_end != *range_end);
        if role.permissions.len() == before {
            return Err(EtcdError::PermissionNotGranted);
        }
        self.put_role(role);
        self.count_change();
        Ok(())
    }
}

/// Returns the hash of a password. etcd 3.5 and later hash an empty password for a new user, but not for a changed
/// password: the member decides this before it proposes the request.
fn hashed(password: &Password) -> Bytes {
    match password {
        Password::Plain(text) => hash(text),
        Password::Hashed(bytes) => bytes.clone(),
    }
}
