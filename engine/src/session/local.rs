//! Commands that need no request to the member: `show` and `help`.

use crate::api::{Difference, EtcdError, Profile};
use crate::backend::{Bucket, SnapshotStatus};
use crate::etcd::Backup;
use crate::mvcc::restore::Restore;
use crate::observe::Past;
use crate::shell::{self, Format, Output, Show, print};
use crate::view::cache::build::cache_view;
use crate::view::cache::savings::savings;
use crate::view::show::{clients, cluster, cost, kube, metrics, qos, watch};
use crate::view::{CacheQuery, show};
use crate::world::World;
use crate::world::op::WorldOp;

/// The text before the file name in the output of `snapshot save`.
pub(super) const SNAPSHOT_SAVED: &str = "Snapshot saved at ";

/// Prints internal state of the store or the world at the cursor.
pub(super) fn show(what: &Show, past: Past<'_>) -> Output {
    let world = past.world;
    let store = world.at_endpoint().store();
    let mut text = match what {
        Show::KeyIndex { key, json } => match store.index().key_index(key) {
            Some(index) if *json => show::key_index_json(index),
            Some(index) => show::key_index(index),
            None => {
                let name = crate::base::go::quote::quoted(key);
                return Output::error(&format!("the index has no key {name} at this step"), 1);
            }
        },
        Show::Bucket {
            name,
            file,
            decode,
            limit,
            json,
        } => {
            let saved = world.backup(file).map(Backup::backend);
            let backend = saved.unwrap_or_else(|| store.backend());
            let bucket = Bucket::from_name(name);
            match bucket.filter(|bucket| backend.has_bucket(*bucket)) {
                Some(bucket) if *json => show::bucket_json(backend, bucket, *limit),
                Some(bucket) => {
                    let profile = world.config().profile;
                    show::bucket(backend, bucket, *decode, *limit, profile)
                }
                None => {
                    let names: Vec<_> = Bucket::ALL
                        .into_iter()
                        .filter(|b| backend.has_bucket(*b))
                        .map(|b| b.name())
                        .collect();
                    let names = names.join(", ");
                    let message = format!("there is no bucket {name}; the buckets are {names}");
                    return Output::error(&message, 1);
                }
            }
        }
        Show::Buckets => show::buckets(store.backend()),
        Show::Snapshot { name, format } => return snapshot_status(world, name, *format),
        Show::FileHash {
            name,
            revision,
            format,
        } => return file_hash(world, name, *revision, *format),
        Show::Store { json: true } => show::store_json(world.at_endpoint()),
        Show::Store { json: false } => show::store(world.at_endpoint()),
        Show::Storage { json } => {
            let backend = world.backend(world.endpoint());
            let backend = backend.as_ref().unwrap_or_else(|| store.backend());
            match json {
                true => show::storage_json(backend),
                false => show::storage(backend),
            }
        }
        Show::Settings { json: true } => watch::settings_json(world),
        Show::Settings { json: false } => watch::settings(world),
        Show::Watchers { json: true } => watch::watchers_json(world),
        Show::Watchers { json: false } => watch::watchers(world),
        Show::Qos => qos::qos(world),
        Show::Metrics { prefix } => metrics::metrics(world, prefix),
        Show::Slow => metrics::slow(world),
        Show::Cluster => cluster::cluster(world),
        Show::Clients => clients::clients(world),
        Show::Cost => cost::costs(world),
        Show::Processes => cost::processes(world),
        Show::Containers => kube::containers(world),
        Show::ApiServers => kube::apiservers(&|query| cache_view(past, query), world),
        Show::Cache { resource } => {
            let query = CacheQuery {
                only_places: true,
                ..of(resource)
            };
            let view = cache_view(past, &query);
            kube::cache(&view, &|server| savings(past, server, &view.resource))
        }
        Show::Requests { resource, last } => {
            kube::requests(&cache_view(past, &of(resource)), *last)
        }
    };
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    Output::ok(text)
}

fn snapshot_status(world: &World, name: &str, format: Format) -> Output {
    let Some(backup) = world.backup(name) else {
        return Output::error(&format!("stat {name}: no such file or directory"), 1);
    };
    match SnapshotStatus::of(&backup.file()) {
        Ok(status) => print::snapshot_status(&status, format, world.config().profile),
        Err(damage) => Output::error(&damage.to_string(), 1),
    }
}

/// Prints the hash of the history in a saved snapshot.
fn file_hash(world: &World, name: &str, revision: i64, format: Format) -> Output {
    let Some(backup) = world.backup(name) else {
        return Output::error(&format!("stat {name}: no such file or directory"), 1);
    };
    let profile = world.config().profile;
    let mut restore = match Restore::new(backup.backend().clone(), profile) {
        Ok(restore) => restore,
        Err(error) => return Output::error(&error.to_string(), 1),
    };
    let restored = loop {
        match restore.step(usize::MAX) {
            Ok(false) => {}
            Ok(true) => break restore.finish(),
            Err(error) => break Err(error),
        }
    };
    match restored {
        Ok((_, attached))
            if !attached.is_empty() && !profile.has(Difference::HashesFilesWithLeases) =>
        {
            Output {
                stderr: b"panic: no lessor to attach lease\n".to_vec(),
                exit: 2,
                ..Output::default()
            }
        }
        Ok((store, _)) => match store.hash_by_rev(revision) {
            Ok(hash) => print::file_hash(&hash, format, profile),
            Err(error) => Output::error(&EtcdError::from(error).to_string(), 1),
        },
        Err(error) => Output::error(&error.to_string(), 1),
    }
}

/// Returns the output of an operation on the world. For most operations, the output is empty.
pub(super) fn done(world: &World, op: &WorldOp) -> Output {
    let (WorldOp::SaveSnapshot { name, .. } | WorldOp::CloseSnapshot { name }) = op else {
        return Output::default();
    };
    let profile = world.config().profile;
    let version = match profile.has(Difference::NamesServerVersion) {
        true => format!("Server version {}\n", profile.cluster_version()),
        false => String::new(),
    };
    Output::ok(format!("{SNAPSHOT_SAVED}{name}\n{version}"))
}

/// Prints the help for the shell or for one of its commands.
pub(super) fn help(topic: Option<&str>, profile: Profile) -> Output {
    Output::ok(shell::help(topic, profile))
}

fn of(resource: &str) -> CacheQuery {
    CacheQuery {
        resource: resource.into(),
        ..CacheQuery::default()
    }
}
