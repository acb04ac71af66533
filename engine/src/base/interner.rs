//! Texts of which each is kept once, however many have it: 150,000 pods have the same few names of fields.

use std::collections::BTreeSet;
use std::sync::Arc;

/// The texts that are known.
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
    /// The text, the same one for each who has an equal one.
    pub fn share(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.known.get(text) {
            return known.clone();
        }
        let new: Arc<str> = text.into();
        self.known.insert(new.clone());
        new
    }
}
