//! Stores each distinct text only once. For example, 150,000 pods share the same few field names.

use std::collections::BTreeSet;
use std::sync::Arc;

/// A set of shared texts.
///
/// ```
/// use std::sync::Arc;
/// use watchglass_engine::base::interner::Interner;
/// let mut interner = Interner::default();
/// let (one, other) = (interner.share("default"), interner.share("default"));
/// assert!(Arc::ptr_eq(&one, &other));
/// ```
#[derive(Clone, Debug, Default, Hash)]
pub struct Interner {
    known: BTreeSet<Arc<str>>,
}

impl Interner {
    /// Returns the shared copy of a text; equal texts share one copy.
    pub fn share(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.known.get(text) {
            return known.clone();
        }
        let new: Arc<str> = text.into();
        self.known.insert(new.clone());
        new
    }
}
