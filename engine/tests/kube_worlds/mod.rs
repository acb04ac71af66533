//! Random worlds with API servers, their clients, a bad network and failures, all from one seed.

use std::sync::Arc;

use watchglass_engine::api::{CompactionRequest, Profile, Request};
use watchglass_engine::apiserver::{ApiServerConfig, CacheSize, FreshnessPolicy};
use watchglass_engine::base::ids::NodeId;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::base::time::SimDuration;
use watchglass_engine::kube::gates::{Gates, KubeVersion};
use watchglass_engine::kube::list_options::{ListOptions, ResourceVersion};
use watchglass_engine::kube::request::WatchTarget;
use watchglass_engine::kube::resource::{CONFIG_MAPS, PODS};
use watchglass_engine::kube::{
    DeleteOptions, KubeRequest, KubeVerb, Object, Predicate, Resource, codec,
};
use watchglass_engine::observe::{Guard, KubeGuard};
use watchglass_engine::sim::network::Delay;
use watchglass_engine::world::config::FormatVersion;
use watchglass_engine::world::op::{KubeWatch, LinkChange, NodeName, StartInformer, Way, WorldOp};
use watchglass_engine::world::{Config, Kubectl, World};

const ACTIONS: (u64, u64) = (20, 60);
const STEPS_MAX: u64 = 400_000;
/// The time after which a world must be at rest. The back-off of a reflector takes up to a minute, and a message that
/// is lost several times also takes long.
const REST: SimDuration = SimDuration::from_millis(240_000);

pub(crate) struct KubeWorld {
    rng: Rng,
    world: World,
    pub(crate) kube: KubeGuard,
    pub(crate) etcd: Guard,
    servers: Vec<String>,
    clients: Vec<String>,
    writes: u64,
}

impl KubeWorld {
    pub(crate) fn new(seed: u64, prepare: impl FnOnce(World) -> World) -> Self {
        let profile = match seed % 5 {
            4 => Profile::V3_4,
            _ => Profile::V3_6,
        };
        let config = Config {
            profile,
            seed,
            // Only the writes of old runs move a pod to another node, which changes the set of watchers that see it.
            format: match seed % 2 {
                0 => FormatVersion::V3,
                _ => FormatVersion::default(),
            },
            ..Config::default()
        };
        Self {
            rng: Rng::stream(seed, "random kube world"),
            world: prepare(World::new(config)),
            kube: KubeGuard::thorough(),
            etcd: Guard::new(NodeId::Member(1), profile),
            servers: Vec::new(),
            clients: Vec::new(),
            writes: 0,
        }
    }

    pub(crate) fn live(&mut self) {
        self.begin();
        for _ in 0..self.between(ACTIONS) {
            self.act();
            let wait = match self.rng.below(4) {
                0 => self.rng.below(2_000_000),
                1 => self.rng.below(100_000),
                _ => self.rng.below(5_000),
            };
            self.pass(SimDuration(wait + 1_001));
        }
        self.come_to_rest();
    }

    fn between(&mut self, (least, most): (u64, u64)) -> u64 {
        least + self.rng.below(most - least + 1)
    }

    fn pick(&mut self, of: &[String]) -> String {
        of[self.rng.below(of.len() as u64) as usize].clone()
    }

    fn op(&mut self, op: WorldOp) {
        if self.world.check(&op).is_ok() {
            self.world.do_op(Arc::new(op));
        }
    }

    fn pass(&mut self, span: SimDuration) {
        let until = self.world.now() + span;
        while self.world.next_at().is_some_and(|at| at <= until) {
            self.step();
        }
        self.world.sleep(SimDuration((until - self.world.now()).0));
        while self.world.now() < until && self.step() {}
    }

    fn step(&mut self) -> bool {
        assert!(self.world.steps() < STEPS_MAX, "a world comes to rest");
        let (kube, etcd) = (&mut self.kube, &mut self.etcd);
        self.world.step(&mut |event| {
            kube.observe(&event, etcd);
            etcd.observe(&event);
        })
    }

    fn begin(&mut self) {
        for n in 1..=self.between((1, 2)) {
            let name = format!("api-{n}");
            let version = match self.rng.below(6) {
                0 => KubeVersion::V1_30,
                1 => KubeVersion::V1_31,
                2 => KubeVersion::DraftKep,
                _ => KubeVersion::V1_37,
            };
            let size = match self.rng.below(3) {
                0 => CacheSize::Fixed(1 + self.rng.below(6) as u32),
                _ => CacheSize::Dynamic,
            };
            let config = ApiServerConfig {
                version,
                gates: Gates::of(version),
                policy: match version {
                    KubeVersion::DraftKep => FreshnessPolicy::Draft,
                    _ => FreshnessPolicy::Today,
                },
                caches: match self.rng.below(8) {
                    0 => Vec::new(),
                    _ => vec![(&PODS, size)],
                },
                echo: self.rng.chance(1, 5),
                batch: self.rng.chance(1, 5).then_some(SimDuration(20_000)),
                etcd_resync: self.rng.chance(1, 3),
                stream_window: match self.rng.below(3) {
                    0 => 1 + self.rng.below(400),
                    _ => 4 << 20,
                },
                request_timeout: SimDuration::from_millis(5_000),
                ..ApiServerConfig::default()
            };
            self.op(WorldOp::ApiServer {
                name: name.clone(),
                config: Box::new(config),
            });
            self.servers.push(name);
            self.pass(SimDuration::from_millis(3));
        }
        for n in 1..=self.between((1, 4)) {
            let name = format!("c{n}");
            let selector = match self.rng.below(3) {
                0 => format!("spec.nodeName=node-{}", self.rng.below(2)),
                _ => String::new(),
            };
            let target = WatchTarget {
                predicate: Predicate::by_fields(&selector).expect("a selector"),
                ..WatchTarget::everything()
            };
            let server = Some(self.pick(&self.servers.clone()));
            if self.rng.chance(1, 4) {
                let options = ListOptions {
                    allow_watch_bookmarks: true,
                    ..ListOptions::default()
                };
                let verb = KubeVerb::Watch {
                    target,
                    options,
                    timeout_s: None,
                };
                self.op(WorldOp::KubeWatch(Box::new(KubeWatch {
                    name: name.clone(),
                    server,
                    request: KubeRequest {
                        resource: &PODS,
                        verb,
                    },
                    lists: self.world.steps().is_multiple_of(2),
                })));
            } else {
                let watch_list = self.rng.chance(1, 3);
                let first_list = match self.rng.chance(1, 4) {
                    true => ResourceVersion::Unset,
                    false => ResourceVersion::Any,
                };
                self.op(WorldOp::Informer(Box::new(StartInformer {
                    name: name.clone(),
                    server,
                    resource: &PODS,
                    target,
                    watch_list: Some(watch_list),
                    first_list,
                    without_bookmarks: Default::default(),
                    controller: None,
                })));
            }
            self.clients.push(name);
        }
        let interval = 100_000 + self.rng.below(10_000_000);
        self.op(
            WorldOp::set("watch-progress-notify-interval", interval).expect("the setting exists")
        );
        self.pass(SimDuration::from_millis(3));
    }

    fn act(&mut self) {
        match self.rng.below(20) {
            0..=6 => self.write(),
            7..=10 => self.list(),
            11 => self.compact(),
            _ => self.fault(),
        }
    }

    fn kubectl(&mut self, request: KubeRequest) {
        let server = Some(self.pick(&self.servers.clone()));
        self.world.kubectl(Arc::new(Kubectl {
            in_chunks: false,
            server,
            request: Arc::new(request),
        }));
    }

    fn write(&mut self) {
        self.writes += 1;
        let resource: &'static Resource = match self.rng.below(3) {
            0 => &CONFIG_MAPS,
            _ => &PODS,
        };
        let name = format!("o{}", self.rng.below(6));
        let node = format!("node-{}", self.rng.below(2));
        let object = Object::new(resource.kind, "default", &name)
            .with_field("spec.nodeName", &node)
            .with_field("status.turn", &self.writes.to_string());
        let verb = match self.rng.below(4) {
            0 => KubeVerb::Delete {
                namespace: "default".into(),
                name,
                options: DeleteOptions::default(),
            },
            1 => KubeVerb::Create(object),
            _ => KubeVerb::Update {
                object,
                resource_version: String::new(),
            },
        };
        // An update of an object that does not exist is refused, so the object is sometimes created afterwards.
        if let (KubeVerb::Update { object, .. }, true) = (&verb, self.rng.chance(1, 2)) {
            let create = KubeVerb::Create(object.clone());
            self.kubectl(KubeRequest {
                resource,
                verb: create,
            });
        }
        self.kubectl(KubeRequest { resource, verb });
    }

    fn list(&mut self) {
        let head = self.world.at_endpoint().store().current_rev() as u64;
        let options = ListOptions {
            resource_version: match self.rng.below(6) {
                0 => ResourceVersion::Any,
                1 => ResourceVersion::At(1 + self.rng.below(head)),
                _ => ResourceVersion::Unset,
            },
            limit: match self.rng.below(4) {
                0 => 1 + self.rng.below(3),
                _ => 0,
            },
            ..ListOptions::default()
        };
        let selector = match self.rng.below(3) {
            0 => "spec.nodeName=node-1",
            _ => "",
        };
        let target = WatchTarget {
            predicate: Predicate::by_fields(selector).expect("a selector"),
            ..WatchTarget::everything()
        };
        let verb = KubeVerb::List { target, options };
        self.kubectl(KubeRequest {
            resource: &PODS,
            verb,
        });
    }

    fn compact(&mut self) {
        let store = self.world.at_endpoint().store();
        let (from, to) = (
            store.compact_rev().max(1) as u64,
            store.current_rev() as u64,
        );
        let revision = from + self.rng.below(to - from + 1);
        self.world
            .submit(Arc::new(Request::Compact(CompactionRequest {
                revision: revision as i64,
                physical: false,
            })));
    }

    fn fault(&mut self) {
        let servers = self.servers.clone();
        let all: Vec<String> = servers.iter().chain(&self.clients).cloned().collect();
        let who = self.pick(&all);
        let client = who.clone();
        let way = match self.rng.below(3) {
            0 => Way::Up,
            1 => Way::Down,
            _ => Way::Both,
        };
        let link = |change| WorldOp::Link {
            client: client.clone(),
            way,
            change,
        };
        let op = match self.rng.below(16) {
            0 | 1 => link(LinkChange::Hold),
            2..=4 => link(LinkChange::Release),
            5 => {
                let delay = SimDuration(self.rng.below(300_000));
                link(LinkChange::Delay(Delay::LongTail(delay)))
            }
            6 => link(LinkChange::LossOneIn(4)),
            7 => WorldOp::Disconnect { client },
            8 | 9 => WorldOp::Connect { client },
            10 => WorldOp::Stop { client },
            11 => WorldOp::Start { client },
            13 => WorldOp::StopEtcd,
            14 | 15 => WorldOp::StartEtcd,
            12 => WorldOp::Slow {
                client,
                per_response: SimDuration(self.rng.below(500_000)),
            },
            _ => match self.rng.chance(1, 2) {
                true => WorldOp::Move {
                    client,
                    server: self.pick(&servers),
                },
                false => WorldOp::Pause(NodeName::Client(client)),
            },
        };
        self.op(op);
    }

    fn come_to_rest(&mut self) {
        self.pass(SimDuration::from_millis(2));
        self.op(WorldOp::StartEtcd);
        self.pass(SimDuration::from_millis(2));
        let all: Vec<String> = self.servers.iter().chain(&self.clients).cloned().collect();
        for client in all {
            self.op(WorldOp::Resume(NodeName::Client(client.clone())));
            for change in [
                LinkChange::Release,
                LinkChange::LossOneIn(0),
                LinkChange::Delay(Delay::Fixed(SimDuration::from_millis(1))),
            ] {
                self.op(WorldOp::Link {
                    client: client.clone(),
                    way: Way::Both,
                    change,
                });
            }
            self.op(WorldOp::Slow {
                client: client.clone(),
                per_response: SimDuration(0),
            });
            self.op(WorldOp::Start {
                client: client.clone(),
            });
            self.pass(SimDuration::from_millis(2));
            self.op(WorldOp::Connect { client });
            self.pass(SimDuration::from_millis(2));
        }
        self.pass(REST);
    }

    /// Checks that every informer knows all objects.
    #[allow(dead_code, reason = "planted faults are for the guarantees to find")]
    pub(crate) fn looks_right(&self) -> Result<(), String> {
        let rows = self.etcd.rows_at(PODS.prefix.as_bytes(), i64::MAX);
        let there: Vec<(String, Object)> = rows
            .map(|row| {
                let key = String::from_utf8_lossy(row.key).into_owned();
                let object = codec::decode(&PODS, &key, row.value, row.revision as u64);
                (key, object)
            })
            .collect();
        for (_, client) in self.world.kube_clients() {
            let Some(reflector) = client.reflector() else {
                continue;
            };
            let target = &reflector.spec().target;
            let expected: Vec<(String, u64)> = there
                .iter()
                .filter(|(_, object)| target.predicate.matches(object))
                .map(|(key, object)| (key.clone(), object.resource_version))
                .collect();
            let known: Vec<(String, u64)> = reflector
                .store()
                .iter()
                .map(|(key, object)| (key.to_string(), object.resource_version))
                .collect();
            if expected != known {
                return Err(format!(
                    "{} knows {known:?}, but there is {expected:?}",
                    client.name()
                ));
            }
        }
        Ok(())
    }
}
