//! The random actions that a test performs in a random world.

use watchglass_engine::api::{
    CompactionRequest, DeleteRangeRequest, LeaseGrantRequest, LeaseRevokeRequest, PutRequest,
    Request, RequestOp, TxnRequest,
};
use watchglass_engine::base::Bytes;
use watchglass_engine::base::bytes::prefix_end;
use watchglass_engine::base::time::SimDuration;
use watchglass_engine::client::etcd::list_watch::Memory;
use watchglass_engine::world::op::{LinkChange, NodeName, StartWatch, Way, WorldOp};

use super::RandomWorld;

/// The number of leases that may exist; their IDs are 1 to this number.
const LEASES: u64 = 3;

impl RandomWorld {
    /// Sets small limits, so that rare situations become common, then adds clients and a short history.
    pub(super) fn begin(&mut self) {
        let settings = [
            ("watch-channel", self.between(1, 4)),
            ("watch-batch-revs", self.between(1, 5)),
            ("watchers-per-sync", self.between(1, 4)),
            ("stream-window", self.of(&[0, 0, 40, 200, 65_535])),
            ("watch-resync", self.between(1_000, 150_000)),
            ("watch-victim-retry", self.between(1_000, 30_000)),
            (
                "watch-progress-notify-interval",
                self.between(200_000, 3_000_000),
            ),
            ("compaction-batch-limit", self.between(1, 20)),
        ];
        for (setting, value) in settings {
            // Sometimes a setting keeps etcd's default.
            if !self.chance(6) {
                self.op(WorldOp::set(setting, value).expect("the setting exists"));
            }
        }
        self.pass(SimDuration::from_millis(2));
        for _ in 0..self.below(12) {
            self.put();
        }
        let clients = self.between(1, 8);
        for n in 1..=clients {
            self.clients.push(format!("c{n}"));
            for _ in 0..self.between(1, 5) {
                self.watch(&format!("c{n}"));
            }
        }
        if self.chance(5) {
            self.list_watch();
        }
        if self.chance(8) {
            self.crowd();
        }
        self.pass(SimDuration::from_millis(3));
        for client in self.clients.clone() {
            if self.chance(2) {
                let delay = self.delay();
                self.link(&client, Way::Both, LinkChange::Delay(delay));
            }
        }
    }

    pub(super) fn act(&mut self) {
        match self.below(100) {
            0..=22 => self.put(),
            23..=31 => self.txn(),
            32..=37 => self.delete(),
            38..=42 => self.burst(),
            43..=45 => self.compact(),
            46..=48 => self.lease(),
            49..=57 => {
                let client = self.client();
                self.watch(&client);
            }
            58..=59 => {
                let name = self.a_watch();
                self.op(WorldOp::Unwatch { name });
            }
            60..=65 => {
                let name = self.a_watch();
                self.op(WorldOp::Progress { name });
            }
            66..=75 => self.disturb_node(),
            76..=87 => self.disturb_connection(),
            88..=96 => self.disturb_link(),
            _ => self.set(),
        }
    }

    fn client(&mut self) -> String {
        let all = self.clients.clone();
        self.of(&all)
    }

    fn a_watch(&mut self) -> String {
        let all = self.watches.clone();
        self.of(&all)
    }

    fn lease_id(&mut self) -> i64 {
        match self.chance(8) {
            true => self.between(1, LEASES) as i64,
            false => 0,
        }
    }

    fn put_request(&mut self, key: Bytes) -> PutRequest {
        PutRequest {
            key,
            value: self.value(),
            lease: self.lease_id(),
            ..PutRequest::default()
        }
    }

    fn put(&mut self) {
        let key = self.key();
        let put = self.put_request(key);
        self.request(format!("put {}", put.key), Request::Put(put));
    }

    /// Puts and deletes several keys in one revision.
    fn txn(&mut self) {
        let keys = self.keys();
        let mut text = "txn:".to_owned();
        let mut success = Vec::new();
        for key in keys {
            let put = self.below(3) > 0;
            text += if put { " put " } else { " del " };
            text += &key.to_text();
            success.push(match put {
                true => RequestOp::Put(self.put_request(key)),
                false => RequestOp::DeleteRange(DeleteRangeRequest {
                    key,
                    ..DeleteRangeRequest::default()
                }),
            });
        }
        let txn = TxnRequest {
            success,
            ..TxnRequest::default()
        };
        self.request(text, Request::Txn(txn));
    }

    fn delete(&mut self) {
        let key = self.key();
        let range_end = match self.below(3) {
            0 => Bytes::default(),
            1 => prefix_end(&key),
            _ => Bytes::zero(),
        };
        let text = format!("del {key} to \"{range_end}\"");
        let delete = DeleteRangeRequest {
            key,
            range_end,
            ..DeleteRangeRequest::default()
        };
        self.request(text, Request::DeleteRange(delete));
    }

    /// Writes many keys at the same time, so that channels become full.
    fn burst(&mut self) {
        for _ in 0..self.between(4, 20) {
            self.put();
        }
    }

    fn compact(&mut self) {
        let current = self.world.at_endpoint().store().current_rev();
        let back = match self.chance(3) {
            true => 0,
            false => self.below(30) as i64,
        };
        // etcd accepts a compaction at 0. Then 3.4 reports this compaction, at 0, to a watch with a negative start. The
        // report looks like progress, and the watch has ended without an error.
        let revision = (current - back).max(1);
        let compact = CompactionRequest {
            revision,
            physical: false,
        };
        self.request(format!("compact {revision}"), Request::Compact(compact));
    }

    fn lease(&mut self) {
        let id = self.between(1, LEASES) as i64;
        if self.chance(3) {
            let revoke = LeaseRevokeRequest { id };
            self.request(format!("lease revoke {id}"), Request::LeaseRevoke(revoke));
        } else {
            let ttl = self.between(1, 5) as i64;
            let grant = LeaseGrantRequest { ttl, id };
            self.request(
                format!("lease grant {ttl} as {id}"),
                Request::LeaseGrant(grant),
            );
        }
    }

    fn watch(&mut self, client: &str) {
        let name = format!("w{}", self.watches.len() + 1);
        let create = self.create();
        let start = StartWatch {
            login: Default::default(),
            endpoint: None,
            name: name.clone(),
            client: Some(client.to_owned()),
            create,
            runs: None,
        };
        if self.op(WorldOp::Watch(start)) {
            self.watches.push(name);
        }
    }

    fn list_watch(&mut self) {
        let memory = self.of(&[Memory::Stateless, Memory::Keys, Memory::Checkpoint]);
        let name = "lw".to_owned();
        self.clients.push(name.clone());
        self.op(WorldOp::ListWatch {
            name,
            prefix: "a".into(),
            memory,
        });
    }

    fn crowd(&mut self) {
        let watches = self.between(2, 12) as u32;
        let streams = self.between(1, 3).min(u64::from(watches)) as u32;
        let mut create = self.create();
        if self.chance(2) {
            create.start_revision = -1;
        }
        self.clients.push("crowd".into());
        self.op(WorldOp::Crowd {
            name: "crowd".into(),
            watches,
            streams,
            create,
        });
    }

    /// Pauses or resumes a node, or changes the speed of a client.
    fn disturb_node(&mut self) {
        let client = self.client();
        match self.below(10) {
            0 => {
                self.op(WorldOp::Pause(NodeName::Etcd));
            }
            1 | 2 => {
                self.op(WorldOp::Resume(NodeName::Etcd));
            }
            3 | 4 => {
                self.op(WorldOp::Pause(NodeName::Client(client)));
            }
            5 | 6 => {
                self.op(WorldOp::Resume(NodeName::Client(client)));
            }
            _ => {
                let per_response = SimDuration(self.of(&[0, 0, 500, 5_000, 20_000]));
                self.op(WorldOp::Slow {
                    client,
                    per_response,
                });
            }
        }
    }

    /// Breaks or restores a connection. A client that lists may instead stop or start again.
    fn disturb_connection(&mut self) {
        let client = self.client();
        if client == "lw" && self.chance(3) {
            let stop = WorldOp::Stop {
                client: client.clone(),
            };
            if !self.op(stop) {
                self.op(WorldOp::Start { client });
            }
        } else if self.is_connected(&client) {
            self.op(WorldOp::Disconnect { client });
        } else {
            self.op(WorldOp::Connect { client });
        }
    }

    fn disturb_link(&mut self) {
        let client = self.client();
        let way = self.of(&[Way::Up, Way::Down, Way::Both]);
        let change = match self.below(9) {
            0 | 1 => LinkChange::Delay(self.delay()),
            2 => {
                // A large value would take minutes over a slow link.
                let scale = if self.large_values { 100 } else { 1 };
                LinkChange::Bandwidth(scale * self.of(&[0, 20_000, 200_000]))
            }
            3 => LinkChange::LossOneIn(self.of(&[0, 3, 10])),
            4 => LinkChange::DuplicateOneIn(self.of(&[0, 2, 5])),
            5 | 6 => LinkChange::Hold,
            _ => LinkChange::Release,
        };
        self.link(&client, way, change);
    }

    fn set(&mut self) {
        let (setting, value) = match self.below(5) {
            0 => ("watch-channel", self.between(1, 4)),
            1 => ("watch-batch-revs", self.between(1, 5)),
            2 => ("watchers-per-sync", self.between(1, 4)),
            3 => ("stream-window", self.of(&[0, 100, 65_535])),
            _ => ("watch-resync", self.between(1_000, 150_000)),
        };
        self.op(WorldOp::set(setting, value).expect("the setting exists"));
        if self.chance(3) {
            let node = NodeName::Etcd;
            let drift_ppm = self.of(&[0, 50_000, -50_000]);
            self.op(WorldOp::Clock {
                node,
                offset_us: 0,
                drift_ppm,
            });
        }
    }
}
