//! A load generator for etcd, which writes keys, reads all keys of a prefix, and logs in, at specified rates.
//!
//! The gaps between requests are random and evenly distributed from 0 to twice their mean. [`LoadPace`] determines
//! whether the generator waits for responses.

use std::sync::Arc;

use crate::api::{AuthenticateRequest, PutRequest, RangeRequest, Request, RequestAs};
use crate::base::Bytes;
use crate::base::bytes::prefix_end;
use crate::base::digest::Sparse;
use crate::base::rng::Rng;
use crate::base::time::SimDuration;
use crate::client::load_calls::{LoadCalls, LoadPace};
use crate::qos::Identity;

use super::login::Login;

/// The requests of a load and their rates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EtcdLoadSpec {
    pub prefix: Bytes,
    /// The number of puts per second.
    pub puts: u64,
    /// The number of reads per second. Each read returns all keys with the prefix.
    pub ranges: u64,
    /// The number of logins per second.
    pub logins: u64,
    /// The number of keys that each client writes in turn. If the number is 0, each put writes a new key.
    pub keys: u64,
    /// The size of each value, in bytes.
    pub value_bytes: u64,
    /// Whether the load waits for responses.
    pub pace: LoadPace,
    /// The identity of the caller, which the rules of etcd QoS match.
    pub identity: Identity,
    /// The password of the user; `None` for a load that does not log in.
    pub password: Sparse<Option<Arc<str>>>,
    /// The addresses of the members that receive the requests in turn; empty if the first member receives all requests.
    pub endpoints: Sparse<Vec<String>>,
}

impl EtcdLoadSpec {
    pub fn login(&self) -> Option<Login> {
        let name = self.identity.user.clone()?;
        Some(Login::new(name, (*self.password).clone()?))
    }

    /// Returns the total number of requests per second, but at least 1.
    fn rate(&self) -> u64 {
        (self.puts + self.ranges + self.logins).max(1)
    }
}

/// The state of a running load generator.
///
/// ```
/// use watchglass_engine::api::Request;
/// use watchglass_engine::client::etcd::load::{EtcdLoad, EtcdLoadSpec};
/// use watchglass_engine::client::load_calls::LoadPace;
/// use watchglass_engine::qos::Identity;
/// let (prefix, pace, identity) = ("/a/".into(), LoadPace::Open, Identity::default());
/// let (puts, ranges, logins, keys, value_bytes) = (1, 0, 0, 0, 3);
/// let (password, endpoints) = (Default::default(), Default::default());
/// let spec = EtcdLoadSpec {
///     prefix, puts, ranges, logins, keys, value_bytes, pace, identity, password, endpoints,
/// };
/// let mut load = EtcdLoad::new(spec, "w-1", 42);
/// let Request::Put(put) = load.next("w-1") else { panic!() };
/// assert_eq!((&*put.key, put.value.len()), (&b"/a/w-1-1"[..], 3));
/// ```
#[derive(Clone, Debug, Hash)]
pub struct EtcdLoad {
    spec: EtcdLoadSpec,
    rng: Rng,
    puts: u64,
    value: Bytes,
    pub(super) calls: LoadCalls<Request>,
}

impl EtcdLoad {
    pub fn new(spec: EtcdLoadSpec, client: &str, seed: u64) -> Self {
        let value = vec![b'x'; usize::try_from(spec.value_bytes).unwrap_or(0)];
        Self {
            rng: Rng::stream(seed, &format!("load {client}")),
            puts: 0,
            value: Bytes::from(value.as_slice()),
            calls: LoadCalls::new(spec.pace),
            spec,
        }
    }

    pub(super) fn reseed(&mut self, seed: u64) {
        self.rng.reseed(seed);
    }

    pub fn spec(&self) -> &EtcdLoadSpec {
        &self.spec
    }

    /// Returns the calls of the load, with their counts and latencies.
    pub fn calls(&self) -> &LoadCalls<Request> {
        &self.calls
    }

    /// Chooses a random time until the next request.
    pub fn gap(&mut self) -> SimDuration {
        let in_a_second = self.spec.rate();
        SimDuration(1 + self.rng.below(2_000_000 / in_a_second))
    }

    /// Returns the request to repeat, or chooses the next request at random.
    pub fn next(&mut self, client: &str) -> Request {
        let (request, retry) = match self.calls.repeated() {
            Some(Request::As(again)) => (again.request, again.retry + 1),
            Some(request) => (request.into(), 1),
            None => (self.request(client).into(), 0),
        };
        let identity = self.spec.identity.clone();
        let timeout = match self.spec.pace {
            LoadPace::Open => None,
            LoadPace::Closed(timeout) => Some(timeout),
        };
        if retry == 0 && timeout.is_none() && identity == Identity::default() {
            return Arc::unwrap_or_clone(request);
        }
        Request::As(Box::new(RequestAs {
            identity,
            retry,
            timeout,
            request,
            credential: Sparse::default(),
        }))
    }

    fn request(&mut self, client: &str) -> Request {
        let spec = &self.spec;
        let drawn = self.rng.below(spec.rate());
        if (spec.ranges..spec.ranges + spec.logins).contains(&drawn) {
            let user = spec.identity.user.as_deref().unwrap_or("root");
            return Request::Authenticate(AuthenticateRequest {
                name: user.into(),
                password: spec.password.as_deref().unwrap_or("secret").into(),
            });
        }
        if drawn < spec.ranges {
            return Request::Range(RangeRequest {
                key: spec.prefix.clone(),
                range_end: prefix_end(&spec.prefix),
                ..RangeRequest::default()
            });
        }
        self.puts += 1;
        let number = match spec.keys {
            0 => self.puts,
            keys => (self.puts - 1) % keys + 1,
        };
        let mut key = spec.prefix.to_vec();
        key.extend_from_slice(format!("{client}-{number}").as_bytes());
        Request::Put(PutRequest {
            key: Bytes::from(key.as_slice()),
            value: self.value.clone(),
            ..PutRequest::default()
        })
    }

    pub(super) fn rng(&mut self) -> (&mut LoadCalls<Request>, &mut Rng) {
        (&mut self.calls, &mut self.rng)
    }
}
