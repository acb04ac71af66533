//! Stores the bases (the saved texts of runs) and the list of runs in IndexedDB: one record and one text for each run.
//!
//! The records and texts are separate, because the list of runs does not need the large texts.

use gloo::timers::future::TimeoutFuture;
use js_sys::Uint8Array;
use rexie::{ObjectStore, Rexie, TransactionMode};
use wasm_bindgen::JsValue;

use super::{Meta, RunId};

const NAME: &str = "watchglass";
const VERSION: u32 = 1;
const RUNS: &str = "runs";
const TEXTS: &str = "texts";

/// The maximum time for opening the database, in milliseconds. If opening takes longer, the page works as if the
/// browser had refused.
const OPEN_WITHIN_MS: u32 = 4_000;

/// Opens the database; returns `None` if the browser refuses.
pub(crate) async fn open() -> Option<Rexie> {
    let opening = Rexie::builder(NAME)
        .version(VERSION)
        .add_object_store(ObjectStore::new(RUNS))
        .add_object_store(ObjectStore::new(TEXTS))
        .build();
    let opening = std::pin::pin!(opening);
    let patience = std::pin::pin!(TimeoutFuture::new(OPEN_WITHIN_MS));
    match futures_util::future::select(opening, patience).await {
        futures_util::future::Either::Left((database, _)) => database.ok(),
        futures_util::future::Either::Right(_) => None,
    }
}

/// Reads the record and the base (the saved text) of a run.
pub(crate) async fn read(database: &Rexie, id: &str) -> Option<(Meta, String)> {
    let stores = [RUNS, TEXTS];
    let transaction = database
        .transaction(&stores, TransactionMode::ReadOnly)
        .ok()?;
    let runs = transaction.store(RUNS).ok()?;
    let texts = transaction.store(TEXTS).ok()?;
    let meta = runs.get(JsValue::from_str(id)).await.ok()??;
    let text = texts.get(JsValue::from_str(id)).await.ok()??;
    Some((meta_of(meta)?, text.as_string()?))
}

/// Writes the record of a run and, if given, the run's base (its saved text); returns true if the transaction is
/// committed.
pub(crate) async fn write(database: &Rexie, id: &str, meta: &Meta, text: Option<&str>) -> bool {
    let done = async {
        let stores = [RUNS, TEXTS];
        let transaction = database
            .transaction(&stores, TransactionMode::ReadWrite)
            .ok()?;
        let bytes = postcard::to_allocvec(meta).ok()?;
        let record = Uint8Array::from(bytes.as_slice());
        let key = JsValue::from_str(id);
        let runs = transaction.store(RUNS).ok()?;
        runs.put(&record, Some(&key)).await.ok()?;
        if let Some(text) = text {
            let texts = transaction.store(TEXTS).ok()?;
            texts.put(&JsValue::from_str(text), Some(&key)).await.ok()?;
        }
        transaction.done().await.ok()
    };
    done.await.is_some()
}

pub(crate) async fn list(database: &Rexie) -> Vec<(RunId, Meta)> {
    let found = async {
        let transaction = database
            .transaction(&[RUNS], TransactionMode::ReadOnly)
            .ok()?;
        let runs = transaction.store(RUNS).ok()?;
        let keys = runs.get_all_keys(None, None).await.ok()?;
        let metas = runs.get_all(None, None).await.ok()?;
        let pairs = keys.into_iter().zip(metas);
        let pairs = pairs.filter_map(|(key, meta)| Some((key.as_string()?, meta_of(meta)?)));
        Some(pairs.collect())
    };
    found.await.unwrap_or_default()
}

pub(crate) async fn delete(database: &Rexie, id: &str) -> bool {
    let done = async {
        let stores = [RUNS, TEXTS];
        let transaction = database
            .transaction(&stores, TransactionMode::ReadWrite)
            .ok()?;
        for store in stores {
            let store = transaction.store(store).ok()?;
            store.delete(JsValue::from_str(id)).await.ok()?;
        }
        transaction.done().await.ok()
    };
    done.await.is_some()
}

fn meta_of(value: JsValue) -> Option<Meta> {
    postcard::from_bytes(&Uint8Array::new(&value).to_vec()).ok()
}
