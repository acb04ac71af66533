//! Describes an expression in words. If the value of the expression differs from the expected value, an error message
//! contains these words.

use crate::words::{ExprArithmetic, ExprList, ExprSubject, FieldNoun, expr as words};

use super::{Both, Call, Expr, Name, Node, Quantifier, Value};

impl Expr {
    /// Describes the expression in words, with keys and other names in backticks.
    ///
    /// ```
    /// use watchglass_engine::scenario::expr::Expr;
    /// let subject = |text| Expr::parse(text).unwrap().subject();
    /// assert_eq!(subject("store.rev"), "the revision of the store");
    /// assert_eq!(subject("kv(\"/key1\").version"), "the version of `/key1`");
    /// assert_eq!(subject("rows(\"key\").len"), "the number of rows");
    /// assert_eq!(
    ///     subject("index(\"/key1\").gens[0].ver - 1"),
    ///     "the change count of the first generation of `/key1` minus 1"
    /// );
    /// assert_eq!(
    ///     subject("index(\"/key1\").gens[-1].revs"),
    ///     "the list of revisions of the last generation of `/key1`"
    /// );
    /// assert_eq!(
    ///     subject("qos(\"rule-slowlog\").limited"),
    ///     "the number of refused requests of `rule-slowlog`"
    /// );
    /// assert_eq!(subject("index(\"/key1\").modified"), "the last revision of the index entry of `/key1`");
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
        Node::At(elements, at) => ExprSubject::Element(list(elements), *at),
        Node::Both(operator, left, right) => match (arithmetic(*operator), &**left) {
            (Some(operator), _) => {
                ExprSubject::Computed(of(left).into(), operator, of(right).into())
            }
            (None, Node::Constant(_)) => ExprSubject::Comparison(of(right).into()),
            (None, left) => ExprSubject::Comparison(of(left).into()),
        },
        Node::Quantified(Quantifier::Count, elements, _) => ExprSubject::Matching(list(elements)),
        Node::Quantified(Quantifier::Some | Quantifier::Every, elements, _) => {
            ExprSubject::Statement(list(elements))
        }
        Node::Not(inner) => of(inner),
        Node::Constant(Value::Int(number)) => ExprSubject::Number(*number),
        Node::Constant(_) | Node::List(_) | Node::Variable(_) => ExprSubject::Value,
    }
}

fn arithmetic(operator: Both) -> Option<ExprArithmetic> {
    match operator {
        Both::Plus => Some(ExprArithmetic::Plus),
        Both::Minus => Some(ExprArithmetic::Minus),
        Both::Times => Some(ExprArithmetic::Times),
        Both::By => Some(ExprArithmetic::DividedBy),
        Both::And
        | Both::Or
        | Both::Equal
        | Both::NotEqual
        | Both::Less
        | Both::LessOrEqual
        | Both::Greater
        | Both::GreaterOrEqual
        | Both::StartsWith
        | Both::Contains => None,
    }
}

fn named(name: Name) -> ExprSubject {
    match name {
        Name::Store => ExprSubject::Store,
        Name::Keys => ExprSubject::Keys,
        Name::Last => ExprSubject::LastResponse,
        Name::Request => ExprSubject::LastRequest,
        Name::SyncPasses => ExprSubject::SyncPasses,
        Name::QosRules => ExprSubject::QosRules,
        Name::Answers => ExprSubject::Predictions,
        Name::Profile => ExprSubject::Version,
    }
}

fn called(call: Call, argument: String) -> ExprSubject {
    match call {
        Call::Rows => ExprSubject::Rows,
        Call::Index => ExprSubject::IndexEntry(argument),
        Call::Kv
        | Call::Watch
        | Call::Cache
        | Call::Qos
        | Call::QosClass
        | Call::Load
        | Call::Heard => ExprSubject::Named(argument),
        Call::Setting => ExprSubject::Setting(argument),
    }
}

fn list(list: &Node) -> ExprList {
    match list {
        Node::Call(Call::Rows, _) => ExprList::Rows,
        Node::Name(Name::Keys) => ExprList::Keys,
        Node::Name(Name::SyncPasses) => ExprList::SyncPasses,
        Node::Name(Name::QosRules) => ExprList::QosRules,
        Node::Name(Name::Answers) => ExprList::Predictions,
        Node::Field(of_key, _, FieldNoun::Generations) => ExprList::Generations(of(of_key).into()),
        Node::Field(generation, _, FieldNoun::Revisions) => {
            ExprList::Revisions(of(generation).into())
        }
        Node::Field(response, _, FieldNoun::Keys) => ExprList::KeysIn(of(response).into()),
        Node::Field(watch, _, FieldNoun::Events) => ExprList::Events(of(watch).into()),
        other => ExprList::Other(of(other).into()),
    }
}
