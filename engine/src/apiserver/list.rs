//! Lists from the cache: finds the candidates, selects the matching objects, and computes the start of the next page.
//!
//! Mirrors `Cacher.GetList` and `storage.PrepareContinueToken`. Left out: conversion and encoding.

use std::sync::Arc;

use super::cache_store::{CacheStore, OrderedLister};
use crate::kube::continue_token::ContinueToken;
use crate::kube::object::{Key, Object};
use crate::kube::resource::IndexName;
use crate::kube::selector::Predicate;

/// The parameters of a list, after the server has chosen the source of the list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Listing {
    /// The prefix of the resource or of a namespace, with the slash at its end. For a list of a single name, this is
    /// the whole key.
    pub key: Key,
    pub is_recursive: bool,
    pub predicate: Predicate,
    /// The maximum number of objects; 0 for no limit. The cache ignores the limit of a list with the resource version
    /// `"0"`, so this field is 0 for such a list.
    pub limit: u64,
    /// The key at which the page starts; `None` for the first page.
    pub start: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ListResult {
    /// The resource version of the whole list.
    pub resource_version: u64,
    /// The objects in the order of their keys.
    pub items: Vec<Arc<Object>>,
    /// The token for the next page; `None` if this is the last page.
    pub continue_token: Option<String>,
    /// The number of objects after this page. `None` for a list with a selector, because the server does not count the
    /// matching objects.
    pub remaining: Option<u64>,
    /// The number of objects examined.
    pub fetched: u64,
    /// The size of the examined objects, in bytes.
    pub fetched_bytes: u64,
    /// The index that was used to find the objects, if any.
    pub index: Option<IndexName>,
}

impl Listing {
    /// Returns the parameters of a list of all objects with a prefix.
    pub fn all(prefix: &str) -> Self {
        Self {
            key: prefix.into(),
            is_recursive: true,
            predicate: Predicate::everything(),
            limit: 0,
            start: None,
        }
    }

    /// Lists the current objects. Uses an index if the selectors match an index.
    pub fn from_store(&self, store: &CacheStore, resource_version: u64) -> ListResult {
        // The indexes do not support a start key.
        let index = store.matching_index(&self.predicate);
        let Some((name, value)) = index.filter(|_| self.is_recursive && self.start.is_none())
        else {
            return self.from_snapshot(store.objects(), resource_version);
        };
        let keys = store.by_index(name, value);
        let candidates: Vec<(&Key, &Arc<Object>)> = keys
            .iter()
            .filter(|key| key.starts_with(&*self.key))
            .map(|key| (key, store.get(key).expect("what is indexed is stored")))
            .collect();
        self.page(&candidates, resource_version, Some(name))
    }

    /// Lists the objects of a snapshot, without an index.
    pub fn from_snapshot(&self, objects: &OrderedLister, resource_version: u64) -> ListResult {
        let candidates: Vec<(&Key, &Arc<Object>)> = if self.is_recursive {
            objects
                .list_prefix(&self.key, self.start.as_deref())
                .collect()
        } else {
            let found = objects.get(&self.key);
            found
                .map(|object| (&self.key, object))
                .into_iter()
                .collect()
        };
        self.page(&candidates, resource_version, None)
    }

    fn page(
        &self,
        candidates: &[(&Key, &Arc<Object>)],
        resource_version: u64,
        index: Option<IndexName>,
    ) -> ListResult {
        let mut result = ListResult {
            resource_version,
            items: Vec::new(),
            continue_token: None,
            remaining: None,
            fetched: candidates.len() as u64,
            fetched_bytes: candidates.iter().map(|(_, o)| o.size_bytes).sum(),
            index,
        };
        for (place, &(key, object)) in (1..).zip(candidates) {
            if !self.predicate.matches(object) {
                continue;
            }
            result.items.push(object.clone());
            if self.limit > 0 && result.items.len() as u64 == self.limit {
                // The selector may match none of the remaining candidates, so the next page can be empty.
                if place < result.fetched {
                    let token =
                        ContinueToken::after(key, self.key.trim_end_matches('/'), resource_version);
                    result.continue_token = Some(token.encode());
                    result.remaining = self
                        .predicate
                        .is_empty()
                        .then(|| result.fetched - self.limit);
                }
                break;
            }
        }
        result
    }
}
