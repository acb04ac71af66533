//! Texts that come with the engine: what each is called in links, and the file.

/// A text that comes with the engine.
#[derive(Clone, Copy, Debug)]
pub struct Included {
    /// Its name in links; never reused.
    pub name: &'static str,
    /// The file.
    pub text: &'static str,
}

impl Included {
    pub(super) const fn new(name: &'static str, text: &'static str) -> Self {
        Self { name, text }
    }
}

/// The text of that name.
///
/// # Errors
/// A sentence that says which there are.
pub fn text(all: &[Included], kind: &str, name: &str) -> Result<&'static str, String> {
    let found = all.iter().find(|one| one.name == name);
    found.map(|one| one.text).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|one| one.name).collect();
        format!(
            "there is no {kind} `{name}`; there are: {}",
            names.join(", ")
        )
    })
}
