//! Compares the Lab with a simulated world: with the same settings, the latencies of consistent lists must agree within
//! 5 %.
//!
//! The lists select the 30 pods of one node, which the cache finds by its index. The Lab does not count the work of the
//! API server for these pods, 0.36 ms. So each setting has at least 150 pods: a list of all of them from etcd takes at
//! least 20 times as long.
//!
//! Lists arrive at random times: if they arrived at regular intervals, the latency would depend on the phase between
//! the lists and the progress requests, and a difference of one microsecond would change the phase.
//!
//! The schemes in which only etcd's timer sends progress notifications are not compared, because etcd adds a random
//! delay of up to a tenth to each stream's interval, and the Lab does not.

use std::collections::BTreeMap;
use std::sync::Arc;

use watchglass_engine::api::{PutRequest, Request};
use watchglass_engine::apiserver::{ApiServerConfig, FreshnessPolicy};
use watchglass_engine::base::histogram::Histogram;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::base::time::{SimDuration, SimTime};
use watchglass_engine::kube::gates::{Gates, KubeVersion};
use watchglass_engine::kube::list_options::ListOptions;
use watchglass_engine::kube::request::WatchTarget;
use watchglass_engine::kube::resource::PODS;
use watchglass_engine::kube::{KubeRequest, KubeVerb, Object, Predicate, codec};
use watchglass_engine::latency::cost::crossing;
use watchglass_engine::latency::setting::{Arrivals, Others};
use watchglass_engine::latency::{LabSetting, Rate, Scheme, Simulation};
use watchglass_engine::sim::cost::CostPreset;
use watchglass_engine::sim::network::Delay;
use watchglass_engine::trace::{KubeTrace, TraceEvent};
use watchglass_engine::world::op::{CostChange, LinkChange, Population, Way, WorldOp};
use watchglass_engine::world::{Config, Kubectl, World};

const LISTS: u64 = 6_000;
const LAB_LISTS: u64 = 50_000;
/// The size of an object, in bytes.
const OBJECT_BYTES: u64 = 5_000;

const SCHEMES: [Scheme; 5] = [
    Scheme::Today,
    Scheme::Echo,
    Scheme::Batch,
    Scheme::Draft,
    Scheme::FromEtcd,
];

/// Draws a random setting of a scheme in which no node is overloaded.
fn draw(scheme: Scheme, rng: &mut Rng) -> LabSetting {
    LabSetting {
        own: Rate::per_second([0, 1, 5, 20][rng.below(4) as usize]),
        others: Others::At(Rate::per_second(20 + rng.below(80))),
        lists: match scheme {
            Scheme::FromEtcd => Rate::per_second(2),
            _ => Rate::per_second(10 + rng.below(60)),
        },
        arrivals: Arrivals::Poisson,
        round_trip: SimDuration(2 * (250 + rng.below(4_000))),
        size: 30 * (5 + rng.below(10)),
        object_bytes: OBJECT_BYTES,
        requests: LAB_LISTS,
        seed: rng.below(1 << 32),
        ..LabSetting::of(scheme)
    }
}

struct Run {
    world: World,
    /// The arrival time of each list that has no response yet, by the number that the API server gave to the request.
    asked: BTreeMap<u64, SimTime>,
    latencies: Histogram,
    selector: &'static str,
}

impl Run {
    fn new(setting: &LabSetting) -> Self {
        let config = Config {
            seed: setting.seed,
            ..Config::default()
        };
        let mut run = Self {
            world: World::new(config),
            asked: BTreeMap::new(),
            latencies: Histogram::default(),
            selector: "spec.nodeName=node-1",
        };
        let pods = if setting.size.is_multiple_of(30) {
            30
        } else {
            1
        };
        run.op(WorldOp::Populate(Population {
            nodes: (setting.size / pods) as u32,
            pods: pods as u32,
            size: OBJECT_BYTES,
        }));
        let mut config = ApiServerConfig::default();
        match setting.scheme {
            Scheme::Echo => config.echo = true,
            Scheme::Batch => config.batch = Some(setting.gap),
            Scheme::FromEtcd => config.caches = Vec::new(),
            Scheme::Draft => {
                config.version = KubeVersion::DraftKep;
                config.gates = Gates::of(config.version);
                config.policy = FreshnessPolicy::Draft;
            }
            _ => {}
        }
        run.op(WorldOp::ApiServer {
            name: "api-1".into(),
            config: Box::new(config),
        });
        let way = SimDuration(setting.round_trip.0 / 2);
        run.op(WorldOp::Link {
            client: "api-1".into(),
            way: Way::Both,
            change: LinkChange::Delay(Delay::Fixed(way)),
        });
        run.op(WorldOp::Cost(Box::new(CostChange {
            preset: Some(CostPreset::Kep2340),
            // The Lab has no bandwidth.
            values: vec![("bandwidth", 0)],
            ..CostChange::default()
        })));
        run.pass(SimTime(2_000_000));
        run
    }

    fn op(&mut self, op: WorldOp) {
        self.world.check(&op).expect("the operation is possible");
        self.world.do_op(Arc::new(op));
        self.pass(self.world.now() + SimDuration::from_millis(10));
    }

    fn pass(&mut self, until: SimTime) {
        let Self {
            world,
            asked,
            latencies,
            ..
        } = self;
        while world.next_at().is_some_and(|at| at <= until) {
            world.step(&mut |event| match event.what {
                TraceEvent::Kube(KubeTrace::Asked { id, .. }) => {
                    asked.insert(id, event.at);
                }
                TraceEvent::Kube(KubeTrace::Answered { id, .. }) => {
                    if let Some(at) = asked.remove(&id) {
                        latencies.add((event.at - at).0);
                    }
                }
                _ => {}
            });
        }
    }

    fn put(&mut self, key: &str, value: &str) {
        let put = PutRequest {
            key: key.into(),
            value: value.into(),
            ..PutRequest::default()
        };
        self.world.submit(Arc::new(Request::Put(put)));
    }

    fn list(&mut self) {
        let request = KubeRequest {
            resource: &PODS,
            verb: KubeVerb::List {
                target: WatchTarget {
                    predicate: Predicate::by_fields(self.selector).expect("a field and a value"),
                    ..WatchTarget::default()
                },
                options: ListOptions::default(),
            },
        };
        let id = self.world.kubectl(Arc::new(Kubectl {
            server: None,
            request: Arc::new(request),
            in_chunks: false,
        }));
        self.world.take_kubectl_reply(id);
    }

    /// Sends the lists and the writes of the setting, and returns the latencies at the API server.
    fn measure(mut self, setting: &LabSetting, lists: u64) -> Histogram {
        let mut rng = Rng::stream(setting.seed, "arrivals in the world");
        let Others::At(others) = setting.others else {
            panic!("the settings have a rate");
        };
        let begin = self.world.now();
        let after = |at: SimTime, rate: Rate, rng: &mut Rng| match rate.gap(rng) {
            Some(gap) => at + gap,
            None => SimTime(u64::MAX / 2),
        };
        let mut next_list = begin;
        let mut next_own = after(begin, setting.own, &mut rng);
        let mut next_other = after(begin, others, &mut rng);
        // A change of a pod of the population keeps the number of objects.
        let own = Object::new(PODS.kind, "default", "node-1-1").with_size(OBJECT_BYTES);
        let own = codec::encode(&own);
        let mut sent = 0;
        while sent < lists {
            let at = next_list.min(next_own).min(next_other);
            self.pass(at);
            // The world's clock shows the time of its last step, but the request must leave at its own time. A step
            // that begins with a typed request can end a little later.
            if self.world.now() < at {
                self.world.sleep(at - self.world.now());
                self.pass(at);
            }
            if at == next_list {
                self.list();
                sent += 1;
                next_list = after(at, setting.lists, &mut rng);
            } else if at == next_own {
                self.put("/registry/pods/default/own", &own);
                next_own = after(at, setting.own, &mut rng);
            } else {
                self.put("/registry/other/key", "value");
                next_other = after(at, others, &mut rng);
            }
        }
        // The last lists of 150,000 objects from etcd take several seconds.
        self.pass(self.world.now() + SimDuration::from_millis(30_000));
        self.latencies
    }
}

#[test]
fn lab_and_world_agree() {
    let given = std::env::var("SEED")
        .ok()
        .and_then(|text| text.parse().ok());
    let seed: u64 = given.unwrap_or(20_261_123);
    let mut rng = Rng::stream(seed, "settings");
    let mut differ = Vec::new();
    for scheme in SCHEMES {
        let setting = draw(scheme, &mut rng);
        let mut simulation = Simulation::new(setting);
        while simulation.advance(10_000) {}
        let lab = simulation.report().whole;
        let world = Run::new(&setting).measure(&setting, LISTS);
        let mean = (lab.mean_ns / 1_000, world.mean_thousandths() / 1_000);
        let p99 = (lab.p99_us, world.quantile(99, 100));
        let is_off = |(lab, world): (u64, u64)| lab.abs_diff(world) * 20 > lab;
        if is_off(mean) || is_off(p99) {
            differ.push((setting, mean, p99));
        }
    }
    assert!(
        differ.is_empty(),
        "SEED={seed}: {} settings differ by more than 5 % in mean or p99 (Lab, world, in µs): {differ:?}",
        differ.len()
    );
}

/// Measures the mean latency of lists in a world, in microseconds. The lists arrive once per second, as in the
/// benchmark.
fn mean_of_lists(scheme: Scheme, size: u64, selector: &'static str, lists: u64) -> u64 {
    let setting = LabSetting {
        others: Others::At(Rate::per_second(200)),
        lists: Rate::per_second(1),
        size,
        object_bytes: OBJECT_BYTES,
        ..LabSetting::of(scheme)
    };
    let run = Run {
        selector,
        ..Run::new(&setting)
    };
    run.measure(&setting, lists).mean_thousandths() / 1_000
}

#[test]
fn in_a_world_the_cache_is_faster_for_lists_above_the_crossing() {
    let cost = CostPreset::Kep2340.model();
    let crossing = crossing(&cost, false, OBJECT_BYTES);
    for size in [1, 10, 100, 1_000, 10_000] {
        let lists = if size < 10_000 { 100 } else { 10 };
        let selector = "status.phase=Failed";
        let cache = mean_of_lists(Scheme::Today, size, selector, lists);
        let etcd = mean_of_lists(Scheme::FromEtcd, size, selector, lists);
        assert_eq!(
            etcd > cache,
            size >= crossing,
            "{size} objects: {cache} µs from the cache, {etcd} µs from etcd; crossing at {crossing}"
        );
    }
}

#[test]
fn thirty_of_150_000_pods_are_faster_from_the_cache() {
    let selector = "spec.nodeName=node-1";
    let cache = mean_of_lists(Scheme::Today, 150_000, selector, 3);
    let etcd = mean_of_lists(Scheme::FromEtcd, 150_000, selector, 3);
    // Each list from the cache examines 30 pods, and waits for one round of progress at most.
    assert!(cache < 110_000 && etcd > 7_000_000);
}
