//! The store of a watch cache: the current objects of one resource by key, with indexes for lists.
//!
//! Mirrors `cacher/store/store_btree.go` (a B-tree since 1.32, a hash map before). Here, a persistent map replaces the
//! copy-on-write B-tree, because snapshots need cheap copies. In Kubernetes, functions compute the values of an index.
//! Here, each index covers one field or label.

use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

use im::{OrdMap, OrdSet};

use crate::base::digest::Undigested;
use crate::kube::object::{Key, Object};
use crate::kube::resource::IndexName;
use crate::kube::selector::Predicate;

/// The objects at one revision, ordered by key (`store.OrderedLister`).
#[derive(Clone, Debug, Default, Hash)]
pub struct OrderedLister {
    by_key: OrdMap<Key, Arc<Object>>,
}

/// The current objects, ordered by key, with indexes over their fields and labels.
///
/// ```
/// use std::sync::Arc;
/// use watchglass_engine::apiserver::CacheStore;
/// use watchglass_engine::kube::resource::IndexName;
/// use watchglass_engine::kube::object::Object;
/// let mut store = CacheStore::new(&[IndexName::Field("spec.nodeName")]);
/// let before = store.snapshot();
/// let pod = Object::new("Pod", "default", "web-1").with_field("spec.nodeName", "node-7");
/// store.put(pod.key("/registry/pods/"), Arc::new(pod));
/// assert_eq!(store.by_index(IndexName::Field("spec.nodeName"), "node-7").len(), 1);
/// assert_eq!((store.len(), before.len()), (1, 0)); // the snapshot did not change
/// ```
#[derive(Clone, Hash)]
pub struct CacheStore {
    objects: OrderedLister,
    index_names: &'static [IndexName],
    indexes: OrdMap<(IndexName, Arc<str>), OrdSet<Key>>,
    // Digests exclude the size, because it follows from the objects.
    bytes: Undigested<u64>,
}

impl OrderedLister {
    pub fn get(&self, key: &str) -> Option<&Arc<Object>> {
        self.by_key.get(key)
    }

    pub fn len(&self) -> u64 {
        self.by_key.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// Returns the objects whose keys begin with `prefix`, in key order, starting at the key `start`.
    pub fn list_prefix<'a>(
        &'a self,
        prefix: &'a str,
        start: Option<&str>,
    ) -> impl Iterator<Item = (&'a Key, &'a Arc<Object>)> {
        let from = start.filter(|start| *start > prefix).unwrap_or(prefix);
        let range = (Bound::Included(from), Bound::Unbounded);
        self.by_key
            .range::<_, str>(range)
            .take_while(move |(key, _)| key.starts_with(prefix))
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Arc<Object>)> {
        self.by_key.iter()
    }
}

impl CacheStore {
    pub fn new(index_names: &'static [IndexName]) -> Self {
        Self {
            objects: OrderedLister::default(),
            index_names,
            indexes: OrdMap::new(),
            bytes: Undigested(0),
        }
    }

    pub fn objects(&self) -> &OrderedLister {
        &self.objects
    }

    /// Returns a snapshot of the objects, which later changes do not affect.
    pub fn snapshot(&self) -> OrderedLister {
        self.objects.clone()
    }

    pub fn len(&self) -> u64 {
        self.objects.len()
    }

    /// Returns the total size of the objects, in bytes.
    pub fn bytes(&self) -> u64 {
        *self.bytes
    }

    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    pub fn get(&self, key: &str) -> Option<&Arc<Object>> {
        self.objects.get(key)
    }

    /// Returns the keys of the objects that have this value in an index, in key order.
    pub fn by_index(&self, name: IndexName, value: &str) -> Vec<Key> {
        let found = self.indexes.get(&(name, value.into()));
        found.map_or_else(Vec::new, |keys| keys.iter().cloned().collect())
    }

    /// Returns the first index that can serve a request's selectors, with the value to look up in the index.
    pub fn matching_index<'a>(&self, predicate: &'a Predicate) -> Option<(IndexName, &'a str)> {
        self.index_names.iter().find_map(|name| {
            let value = match name {
                IndexName::Field(field) => predicate.fields.requires_exact_match(field),
                IndexName::Label(label) => predicate.labels.requires_exact_match(label),
            };
            value.map(|value| (*name, value))
        })
    }

    /// Adds or replaces an object; returns the previous object.
    pub fn put(&mut self, key: Key, object: Arc<Object>) -> Option<Arc<Object>> {
        let before = self.objects.by_key.insert(key.clone(), object.clone());
        if let Some(before) = &before {
            self.forget(&key, before);
        }
        *self.bytes += object.size_bytes;
        for name in self.index_names {
            if let Some(value) = name.value_of(&object) {
                let place = (*name, value.into());
                self.indexes.entry(place).or_default().insert(key.clone());
            }
        }
        before
    }

    pub fn delete(&mut self, key: &str) -> Option<Arc<Object>> {
        let (key, before) = self.objects.by_key.remove_with_key(key)?;
        self.forget(&key, &before);
        Some(before)
    }

    pub fn replace(&mut self, objects: impl IntoIterator<Item = (Key, Arc<Object>)>) {
        *self = Self::new(self.index_names);
        for (key, object) in objects {
            let twice = self.put(key, object);
            assert!(twice.is_none(), "a list names each key once");
        }
    }

    /// Removes the size and the index entries of an object.
    fn forget(&mut self, key: &Key, object: &Object) {
        *self.bytes -= object.size_bytes;
        for name in self.index_names {
            let Some(value) = name.value_of(object) else {
                continue;
            };
            let place = (*name, value.into());
            let keys = self
                .indexes
                .get_mut(&place)
                .expect("what is stored is indexed");
            keys.remove(key);
            if keys.is_empty() {
                self.indexes.remove(&place);
            }
        }
    }
}

impl fmt::Debug for CacheStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let objects = self.objects.iter().map(|(_, object)| object.to_string());
        f.debug_list().entries(objects).finish()
    }
}
