//! Random users, roles and requests, compared with a naive model: the model enumerates all keys of a range, and never
//! merges intervals. A member must serve exactly the requests that the model permits, and a refused request must change
//! nothing. `PROPTEST_CASES=20000` tries more cases.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use watchglass_engine::api::{
    AuthRequest, AuthenticateRequest, Compare, CompareOp, CompareTarget, Credential,
    DeleteRangeRequest, EtcdError, Password, Permission, PermissionType, Profile, PutRequest,
    RangeRequest, Reply, Request, RequestAs, RequestOp, Response, TxnRequest,
};
use watchglass_engine::base::Bytes;
use watchglass_engine::base::digest::Sparse;
use watchglass_engine::base::ids::{Caller, NodeId};
use watchglass_engine::base::time::SimTime;
use watchglass_engine::etcd::EtcdServer;
use watchglass_engine::qos::Identity;
use watchglass_engine::sim::Outbox;

use crate::support::{PROFILES, config};

const USERS: [&str; 3] = ["alice", "bob", "root"];
const ROLES: [&str; 3] = ["low", "high", "root"];
const KEYS: [&str; 5] = ["a", "b", "c", "d", "e"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Keys {
    One(usize),
    Between(usize, usize),
    From(usize),
}

impl Keys {
    fn bounds(self) -> (Bytes, Bytes) {
        match self {
            Self::One(key) => (KEYS[key].into(), Bytes::default()),
            Self::Between(key, end) => (KEYS[key].into(), KEYS[end].into()),
            Self::From(key) => (KEYS[key].into(), Bytes::zero()),
        }
    }

    /// Returns the keys as numbers: `2 n` is the key with the index `n`, and `2 n + 1` stands for all keys between this
    /// key and the next.
    fn places(self) -> BTreeSet<usize> {
        match self {
            Self::One(key) => BTreeSet::from([2 * key]),
            Self::Between(key, end) => (2 * key..2 * end).collect(),
            Self::From(key) => (2 * key..2 * KEYS.len()).collect(),
        }
    }
}

#[derive(Clone, Debug)]
enum Op {
    Get(Keys),
    Put {
        key: usize,
        prev_kv: bool,
    },
    Delete {
        keys: Keys,
        prev_kv: bool,
    },
    /// A compare, and one operation in each branch.
    Txn(usize, Box<Op>, Box<Op>),
}

#[derive(Clone, Debug)]
enum Event {
    /// A user sends a request about keys; `None` sends it without a user.
    Op(Option<usize>, Op),
    Admin(Option<usize>, AuthRequest),
    Restart,
}

fn keys() -> impl Strategy<Value = Keys> {
    let key = 0..KEYS.len();
    prop_oneof![
        3 => key.clone().prop_map(Keys::One),
        3 => (key.clone(), 1..KEYS.len()).prop_filter_map("a range", |(key, len)| {
            (key + len < KEYS.len()).then_some(Keys::Between(key, key + len))
        }),
        1 => key.prop_map(Keys::From),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    let put = || (0..KEYS.len(), any::<bool>()).prop_map(|(key, prev_kv)| Op::Put { key, prev_kv });
    let simple = move || {
        prop_oneof![
            keys().prop_map(Op::Get),
            put(),
            (keys(), any::<bool>()).prop_map(|(keys, prev_kv)| Op::Delete { keys, prev_kv }),
        ]
    };
    prop_oneof![
        4 => simple(),
        1 => (0..KEYS.len(), simple(), simple())
            .prop_map(|(key, one, other)| Op::Txn(key, one.into(), other.into())),
    ]
}

fn kind() -> impl Strategy<Value = PermissionType> {
    use PermissionType::{Read, ReadWrite, Write};
    prop::sample::select(vec![Read, Write, ReadWrite])
}

fn admin() -> impl Strategy<Value = AuthRequest> {
    let user = || prop::sample::select(&USERS[..]).prop_map(str::to_owned);
    let role = || prop::sample::select(&ROLES[..]).prop_map(str::to_owned);
    prop_oneof![
        1 => Just(AuthRequest::Enable),
        1 => Just(AuthRequest::Disable),
        1 => Just(AuthRequest::UserList),
        1 => Just(AuthRequest::RoleList),
        1 => user().prop_map(|name| AuthRequest::UserGet { name }),
        1 => role().prop_map(|role| AuthRequest::RoleGet { role }),
        2 => user().prop_map(|name| AuthRequest::UserAdd { password: Some(password(&name)), name }),
        1 => user().prop_map(|name| AuthRequest::UserDelete { name }),
        1 => user().prop_map(|name| {
            let password = password(&name);
            AuthRequest::UserChangePassword { name, password }
        }),
        3 => (user(), role()).prop_map(|(user, role)| AuthRequest::UserGrantRole { user, role }),
        1 => (user(), role()).prop_map(|(name, role)| AuthRequest::UserRevokeRole { name, role }),
        2 => role().prop_map(|name| AuthRequest::RoleAdd { name }),
        1 => role().prop_map(|role| AuthRequest::RoleDelete { role }),
        6 => (role(), keys(), kind()).prop_map(|(name, keys, kind)| {
            let (key, range_end) = keys.bounds();
            let permission = Permission { kind, key, range_end };
            AuthRequest::RoleGrantPermission { name, permission }
        }),
        1 => (role(), keys()).prop_map(|(role, keys)| {
            let (key, range_end) = keys.bounds();
            AuthRequest::RoleRevokePermission { role, key, range_end }
        }),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    // Most changes come from root, so that a script gets far.
    let sender = || prop_oneof![1 => Just(None), 2 => (0..USERS.len()).prop_map(Some)];
    let admin_sender = prop_oneof![1 => sender(), 3 => Just(Some(2))];
    prop_oneof![
        10 => (sender(), op()).prop_map(|(user, op)| Event::Op(user, op)),
        8 => (admin_sender, admin()).prop_map(|(user, r)| Event::Admin(user, r)),
        1 => Just(Event::Restart),
    ]
}

fn password(name: &str) -> Password {
    Password::Plain(format!("password of {name}"))
}

/// The model: names, sets, and no caches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Model {
    /// Whether the version checks the previous value of a put in a transaction.
    checks_puts_in_txns: bool,
    enabled: bool,
    users: BTreeMap<String, BTreeSet<String>>,
    roles: BTreeMap<String, BTreeMap<(Bytes, Bytes), PermissionType>>,
}

impl Model {
    fn is_admin(&self, user: &str) -> bool {
        self.users
            .get(user)
            .is_some_and(|roles| roles.contains("root"))
    }

    fn permitted(&self, user: &str, writes: bool) -> BTreeSet<usize> {
        let roles = self.users.get(user).into_iter().flatten();
        let permissions = roles.filter_map(|role| self.roles.get(role)).flatten();
        let mut places = BTreeSet::new();
        for ((key, end), kind) in permissions {
            let permits = if writes { kind.writes() } else { kind.reads() };
            let at = |bytes: &Bytes| KEYS.iter().position(|key| Bytes::from(*key) == *bytes);
            let keys = match (at(key), at(end)) {
                (Some(key), Some(end)) => Keys::Between(key, end),
                (Some(key), None) if **end == [0] => Keys::From(key),
                (Some(key), None) => Keys::One(key),
                (None, _) => continue,
            };
            if permits {
                places.extend(keys.places());
            }
        }
        places
    }

    fn permits_op(&self, user: &str, op: &Op, in_txn: bool) -> bool {
        let may = |keys: Keys, writes: bool| {
            self.is_admin(user) || keys.places().is_subset(&self.permitted(user, writes))
        };
        match op {
            Op::Get(keys) => may(*keys, false),
            Op::Put { key, prev_kv } => {
                may(Keys::One(*key), true)
                    && (!*prev_kv
                        || in_txn && !self.checks_puts_in_txns
                        || may(Keys::One(*key), false))
            }
            Op::Delete { keys, prev_kv } => may(*keys, true) && (!*prev_kv || may(*keys, false)),
            Op::Txn(key, one, other) => {
                may(Keys::One(*key), false)
                    && self.permits_op(user, one, true)
                    && self.permits_op(user, other, true)
            }
        }
    }

    /// Returns the expected error of a request; `None` if the request succeeds.
    fn check(&self, user: Option<&str>) -> Option<EtcdError> {
        match user {
            None if self.enabled => Some(EtcdError::UserEmpty),
            _ => None,
        }
    }

    fn admin(&mut self, user: Option<&str>, request: &AuthRequest) -> Result<(), EtcdError> {
        use AuthRequest as R;
        if self.enabled {
            let name = user.unwrap_or_default();
            let roles = self.users.get(name);
            let own = match request {
                R::UserGet { name: wanted } => wanted == name,
                R::RoleGet { role } => roles.is_some_and(|roles| roles.contains(role)),
                _ => false,
            };
            if !own {
                self.check(user).map_or(Ok(()), Err)?;
                if !self.is_admin(name) {
                    return Err(EtcdError::PermissionDenied);
                }
            }
        }
        let enabled = self.enabled;
        let refuse = |is_refused: bool, error| if is_refused { Err(error) } else { Ok(()) };
        let users = &mut self.users;
        let roles = &mut self.roles;
        match request {
            R::Enable if enabled => {}
            R::Enable => {
                let root = users.get("root").ok_or(EtcdError::RootUserNotExist)?;
                refuse(!root.contains("root"), EtcdError::RootRoleNotExist)?;
                self.enabled = true;
            }
            R::Disable => self.enabled = false,
            R::UserAdd { name, .. } => {
                refuse(users.contains_key(name), EtcdError::UserAlreadyExists)?;
                users.insert(name.clone(), BTreeSet::new());
            }
            R::UserDelete { name } => {
                refuse(enabled && name == "root", EtcdError::InvalidAuthMgmt)?;
                users.remove(name).ok_or(EtcdError::UserNotFound)?;
            }
            R::UserGet { name } | R::UserChangePassword { name, .. } => {
                users.get(name).ok_or(EtcdError::UserNotFound)?;
            }
            R::UserGrantRole { user, role } => {
                let granted = users.get_mut(user).ok_or(EtcdError::UserNotFound)?;
                refuse(
                    role != "root" && !roles.contains_key(role),
                    EtcdError::RoleNotFound,
                )?;
                granted.insert(role.clone());
            }
            R::UserRevokeRole { name, role } => {
                let is_root = name == "root" && role == "root";
                refuse(enabled && is_root, EtcdError::InvalidAuthMgmt)?;
                let granted = users.get_mut(name).ok_or(EtcdError::UserNotFound)?;
                refuse(!granted.remove(role), EtcdError::RoleNotGranted)?;
            }
            R::RoleAdd { name } => {
                refuse(roles.contains_key(name), EtcdError::RoleAlreadyExists)?;
                roles.insert(name.clone(), BTreeMap::new());
            }
            R::RoleDelete { role } => {
                refuse(enabled && role == "root", EtcdError::InvalidAuthMgmt)?;
                roles.remove(role).ok_or(EtcdError::RoleNotFound)?;
                for granted in users.values_mut() {
                    granted.remove(role);
                }
            }
            R::RoleGet { role } => {
                roles.get(role).ok_or(EtcdError::RoleNotFound)?;
            }
            R::RoleGrantPermission { name, permission } => {
                let all = roles.get_mut(name).ok_or(EtcdError::RoleNotFound)?;
                let keys = (permission.key.clone(), permission.range_end.clone());
                all.insert(keys, permission.kind);
            }
            R::RoleRevokePermission {
                role,
                key,
                range_end,
            } => {
                let all = roles.get_mut(role).ok_or(EtcdError::RoleNotFound)?;
                let removed = all.remove(&(key.clone(), range_end.clone()));
                removed.ok_or(EtcdError::PermissionNotGranted)?;
            }
            R::Status | R::UserList | R::RoleList | R::AssignToken { .. } => {}
        }
        Ok(())
    }
}

struct Member {
    server: EtcdServer,
    calls: u64,
    tokens: BTreeMap<String, Arc<str>>,
}

impl Member {
    fn ask(&mut self, request: Request) -> Reply {
        self.calls += 1;
        let mut out = Outbox::new(SimTime(self.calls));
        let caller = Caller {
            node: NodeId::Etcdctl,
            call: self.calls,
        };
        self.server.handle(caller, &request.into(), &mut out);
        assert_eq!(out.replies.len(), 1, "a single member responds at once");
        out.replies.remove(0).1
    }

    /// Sends a request like the client library: logs in if the user has no valid token.
    fn ask_as(&mut self, user: Option<&str>, request: &Request) -> Reply {
        let Some(name) = user else {
            return self.ask(request.clone());
        };
        for _ in 0..2 {
            if !self.tokens.contains_key(name) {
                let login = AuthenticateRequest {
                    name: name.into(),
                    password: format!("password of {name}"),
                };
                match self.ask(Request::Authenticate(login)) {
                    Ok(Response::Authenticate(r)) => {
                        let token = r.token.0.expect("a login returns a token");
                        self.tokens.insert(name.into(), token);
                    }
                    Err(EtcdError::AuthNotEnabled) => {}
                    Err(error) => return Err(error),
                    Ok(other) => panic!("{other:?}"),
                }
            }
            let token = self.tokens.get(name).cloned();
            let reply = self.ask(Request::As(Box::new(RequestAs {
                identity: Identity::default(),
                retry: 0,
                timeout: None,
                request: request.clone().into(),
                credential: Sparse(token.map(Credential::Token)),
            })));
            if reply != Err(EtcdError::InvalidAuthToken) {
                return reply;
            }
            self.tokens.remove(name);
        }
        panic!("a new token is valid");
    }
}

fn request_of(op: &Op) -> Request {
    match request_op(op) {
        RequestOp::Range(r) => Request::Range(r),
        RequestOp::Put(r) => Request::Put(r),
        RequestOp::DeleteRange(r) => Request::DeleteRange(r),
        RequestOp::Txn(r) => Request::Txn(r),
        RequestOp::Empty => unreachable!("no such operation"),
    }
}

fn request_op(op: &Op) -> RequestOp {
    match op {
        Op::Get(keys) => {
            let (key, range_end) = keys.bounds();
            RequestOp::Range(RangeRequest {
                key,
                range_end,
                ..RangeRequest::default()
            })
        }
        Op::Put { key, prev_kv } => RequestOp::Put(PutRequest {
            key: KEYS[*key].into(),
            value: "v".into(),
            prev_kv: *prev_kv,
            ..PutRequest::default()
        }),
        Op::Delete { keys, prev_kv } => {
            let (key, range_end) = keys.bounds();
            RequestOp::DeleteRange(DeleteRangeRequest {
                key,
                range_end,
                prev_kv: *prev_kv,
            })
        }
        Op::Txn(key, one, other) => RequestOp::Txn(TxnRequest {
            compare: vec![Compare {
                result: CompareOp::Greater,
                target: CompareTarget::Version(0),
                key: KEYS[*key].into(),
                range_end: Bytes::default(),
            }],
            success: vec![request_op(one)],
            failure: vec![request_op(other)],
        }),
    }
}

fn step(member: &mut Member, model: &mut Model, event: &Event) -> Result<(), TestCaseError> {
    let before = (
        member.server.store().current_rev(),
        member.server.auth().revision(),
    );
    let reply = match event {
        Event::Restart => {
            let now = SimTime(member.calls);
            member.server.stop(now);
            member.server.restart(&mut Outbox::new(now));
            prop_assert_eq!(member.server.auth().revision(), before.1);
            return Ok(());
        }
        Event::Op(user, op) => {
            let user = user.map(|user| USERS[user]);
            let reply = member.ask_as(user, &request_of(op));
            let expected = match user {
                _ if !model.enabled => None,
                None => Some(EtcdError::UserEmpty),
                Some(name) if !model.users.contains_key(name) => Some(EtcdError::AuthFailed),
                Some(name) if model.permits_op(name, op, false) => None,
                Some(_) => Some(EtcdError::PermissionDenied),
            };
            prop_assert_eq!(reply.as_ref().err().copied(), expected);
            reply
        }
        Event::Admin(user, request) => {
            let user = user.map(|user| USERS[user]);
            let reply = member.ask_as(user, &Request::Auth(request.clone()));
            let is_unknown =
                model.enabled && user.is_some_and(|name| !model.users.contains_key(name));
            let expected = match is_unknown {
                true => Err(EtcdError::AuthFailed),
                false => model.clone().admin(user, request),
            };
            prop_assert_eq!(reply.as_ref().map(|_| ()).map_err(|error| *error), expected);
            if reply.is_ok() {
                let _ = model.admin(user, request);
            }
            reply
        }
    };
    if reply.is_err() {
        let after = (
            member.server.store().current_rev(),
            member.server.auth().revision(),
        );
        prop_assert_eq!(before, after, "a refused request changes nothing");
    }
    prop_assert_eq!(member.server.auth().is_enabled(), model.enabled);
    Ok(())
}

fn run(profile: Profile, events: &[Event]) -> Result<(), TestCaseError> {
    let mut member = Member {
        server: EtcdServer::new(profile),
        calls: 0,
        tokens: BTreeMap::new(),
    };
    let mut model = Model {
        checks_puts_in_txns: [Profile::V3_5, Profile::V3_7].contains(&profile),
        ..Model::default()
    };
    // Every script starts with a root user, so that most scripts can enable authentication.
    let root = |request| Event::Admin(None, request);
    let (name, user, role) = ("root".to_owned(), "root".to_owned(), "root".to_owned());
    let password = Some(password("root"));
    for request in [
        AuthRequest::UserAdd { name, password },
        AuthRequest::UserGrantRole { user, role },
        AuthRequest::Enable,
    ] {
        step(&mut member, &mut model, &root(request))?;
    }
    for event in events {
        step(&mut member, &mut model, event)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn a_member_serves_exactly_the_permitted_requests(
        events in prop::collection::vec(event(), 1..60),
    ) {
        for profile in PROFILES {
            run(profile, &events)?;
        }
    }
}
