//! Prints the output of the `show` commands, as text and as JSON.

pub mod clients;
pub mod cluster;
pub mod cost;
pub mod kube;
pub mod metrics;
pub mod qos;
pub mod watch;

use std::fmt::Write;

use crate::api::{Difference, KeyValue, Profile};
use crate::backend::{Backend, Bucket};
use crate::base::go::quote;
use crate::base::json::{Json, push_string};
use crate::base::proto;
use crate::bbolt::Span;
use crate::etcd::EtcdServer;
use crate::etcd::lease_row::LeaseRow;
use crate::lease::Lease;
use crate::mvcc::{BucketKey, Generation, KeyIndex, Revision};
use crate::qos::{QosClass, QosRule};
use crate::world::World;

/// Returns a number and its noun: `1 key`, `2 keys`.
fn number(n: u64, one: &str, many: &str) -> String {
    let noun = if n == 1 { one } else { many };
    format!("{n} {noun}")
}

/// Prints `show key-index KEY`: one line for the key, and one line for each generation.
pub fn key_index(index: &KeyIndex) -> String {
    let mut out = format!(
        "key {} modified={} generations={}\n",
        quote::quoted(&index.key),
        index.modified,
        index.generations.len()
    );
    let last = index.generations.len() - 1;
    for (i, g) in index.generations.iter().enumerate() {
        // Writing to a string cannot fail, here and below.
        let _ = write!(out, "  #{i} ver={} created={} :", g.ver, g.created);
        for (n, rev) in g.revs.iter().enumerate() {
            let tombstone = i != last && n + 1 == g.revs.len();
            let _ = write!(out, " {rev}{}", if tombstone { "(t)" } else { "" });
        }
        out.push_str(if g.revs.is_empty() { " empty\n" } else { "\n" });
    }
    out
}

/// Prints `show key-index KEY --json`: `key`, `modified`, and `generations` with `ver`, `created` and `revs`.
///
/// A deleted key has an empty last generation, which is included.
pub fn key_index_json(index: &KeyIndex) -> String {
    let mut out = String::new();
    push_key_index(&mut out, index);
    out
}

pub fn push_key_index(out: &mut String, index: &KeyIndex) {
    let mut object = Json::object(out);
    object.string("key", &index.key.to_text());
    push_revision(object.key("modified"), index.modified);
    let mut list = Json::array(object.key("generations"));
    for g in &index.generations {
        push_generation(list.item(), g);
    }
}

fn push_generation(out: &mut String, g: &Generation) {
    let mut object = Json::object(out);
    object.value("ver", g.ver);
    push_revision(object.key("created"), g.created);
    let mut revs = Json::array(object.key("revs"));
    for rev in g.revs.iter() {
        push_revision(revs.item(), *rev);
    }
}

fn push_revision(out: &mut String, rev: Revision) {
    let mut object = Json::object(out);
    object.value("main", rev.main);
    object.value("sub", rev.sub);
}

/// Prints `show bucket NAME`: the rows, newest first, in the format of `etcd-dump-db iterate-bucket`.
pub fn bucket(
    backend: &Backend,
    bucket: Bucket,
    decode: bool,
    limit: Option<u64>,
    profile: Profile,
) -> String {
    let mut out = String::new();
    for (key, value) in limited(backend, bucket, limit) {
        match decode
            .then(|| decoded(bucket, &key, &value, profile))
            .flatten()
        {
            Some(line) => out.push_str(&line),
            None => {
                let (key, value) = (quote::quoted(&key), quote::quoted(&value));
                let _ = write!(out, "key={key}, value={value}");
            }
        }
        out.push('\n');
    }
    out
}

/// Prints `show bucket NAME --json`: `{"bucket", "rows": [{"key", "value"}]}`, with bytes in hexadecimal.
pub fn bucket_json(backend: &Backend, bucket: Bucket, limit: Option<u64>) -> String {
    let mut out = String::new();
    {
        let mut object = Json::object(&mut out);
        object.string("bucket", bucket.name());
        let mut rows = Json::array(object.key("rows"));
        for (key, value) in limited(backend, bucket, limit) {
            let mut row = Json::object(rows.item());
            row.string("key", &hex(&key));
            row.string("value", &hex(&value));
        }
    }
    out
}

fn limited(
    backend: &Backend,
    bucket: Bucket,
    limit: Option<u64>,
) -> impl Iterator<Item = (Span, Span)> {
    let limit = limit
        .and_then(|n| usize::try_from(n).ok())
        .unwrap_or(usize::MAX);
    backend.rows_backwards(bucket).take(limit)
}

fn decoded(bucket: Bucket, key: &[u8], value: &[u8], profile: Profile) -> Option<String> {
    match bucket {
        Bucket::Key => {
            let row = BucketKey::decode(key)?;
            let kv: KeyValue = proto::decode(value)?;
            let (main, sub) = (row.revision.main, row.revision.sub);
            let rev = match profile.has(Difference::DecodesTombstone) {
                false => format!("{{main:{main} sub:{sub}}}"),
                true => format!(
                    "{{Revision:{{Main:{main} Sub:{sub}}} tombstone:{}}}",
                    row.tombstone
                ),
            };
            Some(format!(
                "rev={rev}, value=[key {} | val {} | created {} | mod {} | ver {}]",
                quote::quoted(&kv.key),
                quote::quoted(&kv.value),
                kv.create_revision,
                kv.mod_revision,
                kv.version
            ))
        }
        Bucket::Meta => {
            let name = quote::quoted(key);
            match value.len() {
                8 => {
                    let n = u64::from_be_bytes(value.try_into().ok()?);
                    Some(format!("key={name}, value={n}"))
                }
                17 => {
                    let rev = BucketKey::decode(value)?.revision;
                    Some(format!("key={name}, value={{{} {}}}", rev.main, rev.sub))
                }
                _ => None,
            }
        }
        Bucket::Lease => {
            let row: LeaseRow = proto::decode(value)?;
            let (id, ttl, remaining) = (row.id, row.ttl_s, row.remaining_ttl_s);
            Some(match profile.has(Difference::DecodesTombstone) {
                false => format!("lease ID={id:016x}, TTL={ttl}s"),
                true => {
                    format!("lease ID={id:016x}, TTL={ttl}s, remaining TTL={remaining}s")
                }
            })
        }
        Bucket::Alarm
        | Bucket::Auth
        | Bucket::AuthRoles
        | Bucket::AuthUsers
        | Bucket::Cluster
        | Bucket::Members
        | Bucket::MembersRemoved => None,
        Bucket::Qos => match QosClass::decode(value).filter(|_| key.starts_with(b"class/")) {
            Some(class) => Some(format!("class {}, {}", class.name, class.kind)),
            None => QosRule::decode(value).map(|rule| format!("rule {}, {rule}", rule.name)),
        },
    }
}

/// Prints the names of all buckets, one per line.
pub fn buckets(backend: &Backend) -> String {
    let mut out = String::new();
    for bucket in Bucket::ALL
        .into_iter()
        .filter(|bucket| backend.has_bucket(*bucket))
    {
        out.push_str(bucket.name());
        out.push('\n');
    }
    out
}

/// Prints `show store`: a summary of revisions and sizes.
pub fn store(etcd: &EtcdServer) -> String {
    let mut out = String::new();
    for (name, value) in figures(etcd) {
        let _ = writeln!(out, "{name} {value}");
    }
    out
}

/// Prints `show store --json`.
pub fn store_json(etcd: &EtcdServer) -> String {
    let mut out = String::new();
    {
        let mut object = Json::object(&mut out);
        for (name, value) in figures(etcd) {
            object.value(name, value);
        }
    }
    out
}

/// Prints `show storage`: figures about the database file.
pub fn storage(backend: &Backend) -> String {
    let mut out = String::new();
    for (name, value) in storage_figures(backend) {
        let _ = writeln!(out, "{name} {value}");
    }
    out
}

/// Prints `show storage --json`.
pub fn storage_json(backend: &Backend) -> String {
    let mut out = String::new();
    {
        let mut object = Json::object(&mut out);
        for (name, value) in storage_figures(backend) {
            object.value(name, value);
        }
    }
    out
}

fn storage_figures(backend: &Backend) -> Vec<(&'static str, u64)> {
    let (db, free) = (backend.db(), backend.db().freelist());
    let written = backend.pages_written();
    let mut figures = vec![
        ("bytes", db.bytes()),
        ("bytes_in_use", db.bytes_in_use()),
        ("page_bytes", u64::from(db.options().page_size)),
        ("pages", backend.file().meta().high_water),
        ("pages_free", free.free_count()),
        ("pages_pending", free.pending_count()),
        ("transaction", backend.file().meta().txid),
        ("open_snapshots", db.readers().len() as u64),
        (
            "oldest_transaction_read",
            db.readers().first().copied().unwrap_or(0),
        ),
        ("pages_written_sequential", written.sequential),
        ("pages_written_random", written.random),
    ];
    if backend.commits().sum.0 > 0 {
        figures.push(("commit_microseconds", backend.commits().sum.0));
    }
    if let Some(cache) = backend.page_cache() {
        let (memory, disk) = (cache.hits(), cache.misses());
        figures.extend([
            ("page_cache_bytes", backend.page_cache_bytes()),
            ("pages_in_memory", cache.pages()),
            ("pages_read_from_memory_sequential", memory.sequential),
            ("pages_read_from_memory_random", memory.random),
            ("pages_read_from_disk_sequential", disk.sequential),
            ("pages_read_from_disk_random", disk.random),
        ]);
    }
    figures
}

fn figures(etcd: &EtcdServer) -> [(&'static str, i64); 7] {
    let store = etcd.store();
    [
        ("current_revision", store.current_rev()),
        ("compact_revision", store.compact_rev()),
        ("keys_indexed", store.index().len() as i64),
        ("keys_live", store.live_keys()),
        ("rows", store.backend().row_count(Bucket::Key) as i64),
        (
            "compactions_pending",
            i64::from(store.compactions_pending()),
        ),
        ("leases", etcd.lessor().len() as i64),
    ]
}

fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for b in bytes {
        let _ = write!(out, "{b:02x}");
    }
    out
}

fn push_lease(out: &mut String, lease: &Lease) {
    let mut object = Json::object(out);
    // The ID is a string, because it can exceed the precision of JavaScript's numbers.
    object.string("id", &format!("{:016x}", lease.id));
    object.value("ttl_s", lease.ttl_s);
    object.value("expiry_us", lease.expiry.0);
    let mut keys = Json::array(object.key("keys"));
    for key in &lease.keys {
        push_string(keys.item(), &key.to_text());
    }
}

/// Returns the state of a world as JSON, for `window.watchglass.state()`.
pub fn state_json(step: u64, world: &World) -> String {
    let etcd = world.at_endpoint();
    let store = etcd.store();
    let (db_size, db_in_use) = etcd.db_size();
    let mut out = String::new();
    {
        let mut object = Json::object(&mut out);
        object.value("step", step);
        object.value("time_us", world.now().0);
        object.value("revision", store.current_rev());
        object.value("compact_revision", store.compact_rev());
        {
            let mut keys = Json::array(object.key("keys"));
            for index in store.index().iter() {
                push_key_index(keys.item(), index);
            }
        }
        {
            let mut leases = Json::array(object.key("leases"));
            for lease in etcd.lessor().leases() {
                push_lease(leases.item(), lease);
            }
        }
        {
            let mut members = Json::array(object.key("members"));
            let mut member = Json::object(members.item());
            member.string("id", &format!("{:x}", etcd.member_id()));
            member.string("name", "default");
            member.value("leader", true);
            member.value("raft_index", etcd.raft_index());
        }
        self::watch::push_watchers(object.key("watchers"), world);
        self::kube::push_caches(object.key("caches"), world);
        {
            let mut alarms = Json::array(object.key("alarms"));
            for alarm in etcd.alarms() {
                push_string(alarms.item(), &alarm.text(Profile::V3_7));
            }
        }
        {
            let mut size = Json::object(object.key("db"));
            size.value("size", db_size);
            size.value("in_use", db_in_use);
        }
        // The digest is a string, because it can exceed the precision of JavaScript's numbers.
        push_string(object.key("digest"), &format!("{:016x}", world.digest()));
    }
    out
}
