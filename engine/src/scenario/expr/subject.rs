//! Describes an expression in words. An error message names the expression in this way if its value is not the expected
//! value.

use crate::words::{ExprList, ExprSubject, FieldNoun, expr as words};

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
        words::subject(&of(&self.node))
    }
}

fn of(node: &Node) -> ExprSubject {
    match node {
        Node::Name(name) => named(*name),
        Node::Call(call, argument) => called(*call, argument.to_text()),
        Node::Field(record, _, noun) => ExprSubject::Field(*noun, of(record).into()),
        Node::Len(elements) => ExprSubject::Count(list(elements)),
        Node::At(elements, _) => ExprSubject::Element(list(elements)),
        Node::Both(_, left, right) => match (&**left, &**right) {
            (Node::Constant(_), other) | (other, _) => ExprSubject::Result(of(other).into()),
        },
        Node::Quantified(_, elements, _) => ExprSubject::Property(list(elements)),
        Node::Not(inner) => of(inner),
        Node::Constant(_) | Node::List(_) | Node::Variable(_) => ExprSubject::Value,
    }
}

fn named(name: Name) -> ExprSubject {
    match name {
        Name::Store => ExprSubject::Store,
        Name::Keys => ExprSubject::Keys,
        Name::Last => ExprSubject::LastResponse,
        Name::Sweeps => ExprSubject::SyncPasses,
        Name::Answers => ExprSubject::Predictions,
        Name::Profile => ExprSubject::Version,
    }
}

fn called(call: Call, argument: String) -> ExprSubject {
    match call {
        Call::Rows => ExprSubject::Rows,
        Call::Index => ExprSubject::IndexEntry(argument),
        Call::Kv | Call::Watch => ExprSubject::Named(argument),
        Call::Setting => ExprSubject::Setting(argument),
    }
}

fn list(list: &Node) -> ExprList {
    match list {
        Node::Call(Call::Rows, _) => ExprList::Rows,
        Node::Name(Name::Keys) => ExprList::Keys,
        Node::Name(Name::Sweeps) => ExprList::SyncPasses,
        Node::Field(of_key, _, FieldNoun::Generations) => ExprList::Generations(of(of_key).into()),
        Node::Field(generation, _, FieldNoun::Revisions) => {
            ExprList::Revisions(of(generation).into())
        }
        Node::Field(response, _, FieldNoun::Keys) => ExprList::KeysIn(of(response).into()),
        Node::Field(watch, _, FieldNoun::Events) => ExprList::Events(of(watch).into()),
        other => ExprList::Other(of(other).into()),
    }
}
