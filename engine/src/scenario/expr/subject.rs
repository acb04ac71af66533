//! Describes an expression in words. An error message names the expression in this way if its value is not the expected
//! value.

use super::{Call, Expr, Name, Node};

impl Expr {
    /// Describes the expression in words, with keys and other names in backticks.
    ///
    /// ```
    /// use watchglass_engine::scenario::expr::Expr;
    /// let subject = |text| Expr::parse(text).unwrap().subject();
    /// assert_eq!(subject("store.rev"), "the revision of the store");
    /// assert_eq!(subject("kv(\"/key1\").version"), "the version of `/key1`");
    /// assert_eq!(subject("rows(\"key\").len"), "the number of rows");
    /// ```
    pub fn subject(&self) -> String {
        of(&self.node)
    }
}

fn of(node: &Node) -> String {
    match node {
        Node::Name(name) => named(*name).into(),
        Node::Call(call, argument) => called(*call, &argument.to_text()),
        Node::Field(record, field) => format!("the {} of {}", label(field), of(record)),
        Node::Len(list) => format!("the number of {}", plural(list)),
        Node::At(list, _) => element(list),
        Node::Both(_, left, right) => match (&**left, &**right) {
            (Node::Constant(_), other) | (other, _) => format!("what follows from {}", of(other)),
        },
        Node::Quantified(_, list, _) => format!("a property of the {}", plural(list)),
        Node::Not(inner) => of(inner),
        Node::Constant(_) | Node::List(_) | Node::Variable(_) => "a value".into(),
    }
}

fn named(name: Name) -> &'static str {
    match name {
        Name::Store => "the store",
        Name::Keys => "the keys",
        Name::Last => "the last response",
        Name::Sweeps => "the sync passes",
        Name::Answers => "your predictions",
        Name::Profile => "the version of etcd",
    }
}

fn called(call: Call, argument: &str) -> String {
    match call {
        Call::Rows => "the rows".into(),
        Call::Index => format!("`{argument}` in the index"),
        Call::Kv | Call::Watch => format!("`{argument}`"),
        Call::Setting => format!("the setting `{argument}`"),
    }
}

fn plural(list: &Node) -> String {
    match list {
        Node::Call(Call::Rows, _) => "rows".into(),
        Node::Name(Name::Keys) => "keys".into(),
        Node::Name(Name::Sweeps) => "sync passes".into(),
        Node::Field(record, "gens") => format!("generations of {}", of(record)),
        Node::Field(record, "revs") => format!("revisions of {}", of(record)),
        Node::Field(record, "kvs") => format!("keys in {}", of(record)),
        Node::Field(record, "events") => format!("events that {} received", of(record)),
        other => of(other),
    }
}

fn element(list: &Node) -> String {
    match list {
        Node::Call(Call::Rows, _) => "a row".into(),
        Node::Name(Name::Sweeps) => "a sync pass".into(),
        Node::Field(record, "gens") => format!("a generation of {}", of(record)),
        Node::Field(record, "revs") => format!("a revision of {}", of(record)),
        Node::Field(record, "kvs") => format!("a key in {}", of(record)),
        other => of(other),
    }
}

/// Returns the name of a field in words.
fn label(field: &str) -> String {
    match field {
        "rev" | "main" => "revision".into(),
        "compact_rev" => "compacted revision".into(),
        "keys" | "count" => "number of keys".into(),
        "rows" => "number of rows".into(),
        "gens" => "generations".into(),
        "revs" => "revisions".into(),
        "kvs" => "keys".into(),
        "time_ms" => "time in milliseconds".into(),
        "created" | "create_revision" => "create revision".into(),
        "mod" | "mod_revision" => "mod revision".into(),
        "ver" => "change count".into(),
        "header_rev" => "header revision".into(),
        "deleted" => "number of deleted keys".into(),
        "backward_jumps" => "number of jumps back to an older row".into(),
        "range_end" => "range end".into(),
        "min_rev" => "next revision".into(),
        "known" => "known revision".into(),
        "waiting" => "number of waiting responses".into(),
        "missing" => "number of missing events".into(),
        "waits" => "number of waits".into(),
        "wait_mean_ms" => "mean wait in milliseconds".into(),
        "wait_max_ms" => "longest wait in milliseconds".into(),
        "progress" => "number of progress notifications".into(),
        "progress_every_ms" => "progress interval in milliseconds".into(),
        other => other.replace('_', " "),
    }
}
