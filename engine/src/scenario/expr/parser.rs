//! Parses an expression, and checks that all its names exist and that each comparison compares kinds of values that can
//! be equal or ordered.

use crate::base::Bytes;
use crate::words::expr as words;
use crate::world::setting::SETTINGS;

use super::kind::{KVS, Kind, QOS_RULES, ROWS, RecordKind, SYNC_PASSES, TEXTS};
use super::lexer::{ExprToken, ExprTokenKind, cut, tokens};
use super::value::Value;
use super::{Both, Call, Name, Node, Quantifier};

/// The maximum nesting of brackets, quantifiers and `not`.
const DEPTH_MAX: u32 = 32;

/// The maximum length of an expression, in bytes.
const BYTES_MAX: usize = 2_000;

/// The words with which an expression may start. Error messages list these words.
const NAMES: &str = "store, keys, rows(\"key\"), index(KEY), kv(KEY), last, watch(NAME), sync_passes, \
                     cache(SERVER/RESOURCE), request, qos_rules, qos(RULE), qos_class(CLASS), load(NAME), \
                     heard(NAME), setting(NAME), answers, profile";

type Typed = (Node, Kind);

pub(super) fn parse(text: &str) -> Result<Typed, String> {
    if text.len() > BYTES_MAX {
        return Err(words::too_long(BYTES_MAX));
    }
    let mut parser = Parser {
        text,
        tokens: tokens(text)?,
        next: 0,
        depth: 0,
        variables: Vec::new(),
    };
    let typed = parser.or()?;
    match parser.tokens.get(parser.next) {
        None => Ok(typed),
        Some(ExprToken {
            what: ExprTokenKind::Sign("="),
            ..
        }) => Err(words::SINGLE_EQUALS_SIGN.into()),
        Some(token) => Err(words::rest_after_end(&cut(&text[token.at..]))),
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<ExprToken<'a>>,
    next: usize,
    depth: u32,
    variables: Vec<(&'a str, Kind)>,
}

impl<'a> Parser<'a> {
    fn or(&mut self) -> Result<Typed, String> {
        self.joined("or", Both::Or, |p| p.joined("and", Both::And, Self::not))
    }

    /// Parses conditions that are joined by the operator `word`, which is `and` or `or`.
    fn joined(
        &mut self,
        word: &str,
        both: Both,
        part: impl Fn(&mut Self) -> Result<Typed, String>,
    ) -> Result<Typed, String> {
        let mut left = part(self)?;
        while self.take_word(word) {
            let right = part(self)?;
            for side in [&left, &right] {
                condition(side.1)?;
            }
            left = (Node::Both(both, left.0.into(), right.0.into()), Kind::Bool);
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Typed, String> {
        if !self.take_word("not") {
            return self.comparison();
        }
        let (node, kind) = self.deeper(Self::not)?;
        condition(kind)?;
        Ok((Node::Not(node.into()), Kind::Bool))
    }

    fn comparison(&mut self) -> Result<Typed, String> {
        let (left, left_kind) = self.sum()?;
        let Some(both) = self.comparing()? else {
            return Ok((left, left_kind));
        };
        let (right, right_kind) = self.sum()?;
        let fits = match both {
            Both::StartsWith | Both::Contains => {
                let text = [left_kind, right_kind].map(|k| k.compares_with(Kind::Text));
                text == [true, true]
            }
            _ => left_kind.compares_with(right_kind),
        };
        if !fits {
            return Err(words::never_equal(left_kind, right_kind));
        }
        Ok((Node::Both(both, left.into(), right.into()), Kind::Bool))
    }

    fn comparing(&mut self) -> Result<Option<Both>, String> {
        let both = match self.peek() {
            Some(ExprTokenKind::Sign("==")) => Both::Equal,
            Some(ExprTokenKind::Sign("!=")) => Both::NotEqual,
            Some(ExprTokenKind::Sign("<")) => Both::Less,
            Some(ExprTokenKind::Sign("<=")) => Both::LessOrEqual,
            Some(ExprTokenKind::Sign(">")) => Both::Greater,
            Some(ExprTokenKind::Sign(">=")) => Both::GreaterOrEqual,
            Some(ExprTokenKind::Word("contains")) => Both::Contains,
            Some(ExprTokenKind::Word("starts")) => {
                self.next += 1;
                if self.peek() != Some(ExprTokenKind::Word("with")) {
                    return Err(words::STARTS_WITHOUT_WITH.into());
                }
                Both::StartsWith
            }
            _ => return Ok(None),
        };
        self.next += 1;
        Ok(Some(both))
    }

    fn sum(&mut self) -> Result<Typed, String> {
        let signs = [("+", Both::Plus), ("-", Both::Minus)];
        self.arithmetic(&signs, |p| {
            p.arithmetic(&[("*", Both::Times), ("/", Both::By)], Self::path)
        })
    }

    fn arithmetic(
        &mut self,
        signs: &[(&str, Both)],
        part: impl Fn(&mut Self) -> Result<Typed, String>,
    ) -> Result<Typed, String> {
        let mut left = part(self)?;
        while let Some((_, both)) = signs.iter().find(|(sign, _)| self.sees(sign)) {
            self.next += 1;
            let right = part(self)?;
            for side in [left.1, right.1] {
                if !side.compares_with(Kind::Int) {
                    return Err(words::not_a_number(side));
                }
            }
            left = (Node::Both(*both, left.0.into(), right.0.into()), Kind::Int);
        }
        Ok(left)
    }

    fn path(&mut self) -> Result<Typed, String> {
        let mut said = self.here();
        let (mut node, mut kind) = self.beginning()?;
        loop {
            if self.take_sign(".") {
                let name = self.word(words::FIELD_MISSING)?;
                (node, kind) = field(node, kind, name, said)?;
                said = name;
            } else if self.take_sign("[") {
                let negative = self.take_sign("-");
                let Some(ExprTokenKind::Int(place)) = self.peek() else {
                    return Err(words::PLACE_MISSING.into());
                };
                self.next += 1;
                self.sign("]")?;
                kind = match kind {
                    Kind::List(of) => *of,
                    Kind::Any => Kind::Any,
                    other => return Err(words::not_a_list(said, other)),
                };
                let place = if negative { -place } else { place };
                node = Node::At(node.into(), place);
            } else {
                return Ok((node, kind));
            }
        }
    }

    fn beginning(&mut self) -> Result<Typed, String> {
        let Some(what) = self.peek() else {
            return Err(words::value_missing(NAMES));
        };
        self.next += 1;
        match what {
            ExprTokenKind::Int(n) => Ok((Node::Constant(Value::Int(n)), Kind::Int)),
            ExprTokenKind::Text(text) => Ok((Node::Constant(Value::Text(text.into())), Kind::Text)),
            ExprTokenKind::Sign("-") => match self.deeper(Self::path)? {
                (Node::Constant(Value::Int(n)), _) => {
                    Ok((Node::Constant(Value::Int(-n)), Kind::Int))
                }
                _ => Err(words::MISPLACED_MINUS.into()),
            },
            ExprTokenKind::Sign("(") => {
                let typed = self.deeper(Self::or)?;
                self.sign(")")?;
                Ok(typed)
            }
            ExprTokenKind::Sign("[") => self.list(),
            ExprTokenKind::Sign(sign) => Err(words::misplaced_sign(sign)),
            ExprTokenKind::Word(word) => self.named(word),
        }
    }

    fn list(&mut self) -> Result<Typed, String> {
        let mut all = Vec::new();
        while !self.take_sign("]") {
            if !all.is_empty() {
                self.sign(",")?;
            }
            all.push(self.deeper(Self::sum)?.0);
        }
        Ok((Node::List(all), Kind::List(&Kind::Any)))
    }

    fn named(&mut self, word: &'a str) -> Result<Typed, String> {
        let variables = self.variables.iter().rev();
        if let Some((out, (_, kind))) = variables.enumerate().find(|(_, (name, _))| *name == word) {
            return Ok((Node::Variable(out as u32), *kind));
        }
        let record = |kind| Kind::Record(kind);
        let (name, kind) = match word {
            "true" => return Ok((Node::Constant(Value::Bool(true)), Kind::Bool)),
            "false" => return Ok((Node::Constant(Value::Bool(false)), Kind::Bool)),
            "nothing" => return Ok((Node::Constant(Value::Nothing), Kind::Any)),
            "some" => return self.quantified(Quantifier::Some),
            "every" => return self.quantified(Quantifier::Every),
            "count" => return self.quantified(Quantifier::Count),
            "rows" => return self.called(Call::Rows, ROWS),
            "index" => return self.called(Call::Index, record(RecordKind::KeyIndex)),
            "kv" => return self.called(Call::Kv, record(RecordKind::KeyValue)),
            "watch" => return self.called(Call::Watch, record(RecordKind::Watch)),
            "cache" => return self.called(Call::Cache, record(RecordKind::Cache)),
            "qos" => return self.called(Call::Qos, record(RecordKind::QosRule)),
            "qos_class" => return self.called(Call::QosClass, record(RecordKind::QosClass)),
            "load" => return self.called(Call::Load, record(RecordKind::Load)),
            "heard" => return self.called(Call::Heard, TEXTS),
            "setting" => return self.called(Call::Setting, Kind::Int),
            "store" => (Name::Store, record(RecordKind::Store)),
            "keys" => (Name::Keys, KVS),
            "last" => (Name::Last, record(RecordKind::Last)),
            "request" => (Name::Request, record(RecordKind::Request)),
            "sync_passes" => (Name::SyncPasses, SYNC_PASSES),
            "qos_rules" => (Name::QosRules, QOS_RULES),
            "answers" => (Name::Answers, Kind::List(&Kind::Any)),
            "profile" => (Name::Profile, Kind::Text),
            other => return Err(words::no_such_name(other, NAMES)),
        };
        Ok((Node::Name(name), kind))
    }

    fn called(&mut self, call: Call, kind: Kind) -> Result<Typed, String> {
        let (true, Some(ExprTokenKind::Text(text))) = (self.take_sign("("), self.peek()) else {
            return Err(words::ARGUMENT_MISSING.into());
        };
        self.next += 1;
        self.sign(")")?;
        match call {
            Call::Rows if text != "key" => {
                return Err(words::OTHER_BUCKET.into());
            }
            Call::Setting if !SETTINGS.iter().any(|s| s.name == text) => {
                let names: Vec<_> = SETTINGS.iter().map(|s| s.name).collect();
                return Err(words::no_such_setting(text, &names));
            }
            Call::Rows
            | Call::Setting
            | Call::Index
            | Call::Kv
            | Call::Watch
            | Call::Cache
            | Call::Qos
            | Call::QosClass
            | Call::Load
            | Call::Heard => {}
        }
        Ok((Node::Call(call, Bytes::from(text)), kind))
    }

    fn quantified(&mut self, how: Quantifier) -> Result<Typed, String> {
        let variable = self.word(words::ELEMENT_NAME_MISSING)?;
        if !self.take_word("in") {
            return Err(words::in_missing(variable));
        }
        let (list, kind) = self.deeper(Self::sum)?;
        let of = match kind {
            Kind::List(of) => *of,
            Kind::Any => Kind::Any,
            other => return Err(words::not_a_list_after_in(other)),
        };
        self.sign(":")?;
        self.variables.push((variable, of));
        let (body, kind) = self.deeper(Self::or)?;
        self.variables.pop();
        condition(kind)?;
        let kind = match how {
            Quantifier::Some | Quantifier::Every => Kind::Bool,
            Quantifier::Count => Kind::Int,
        };
        Ok((Node::Quantified(how, list.into(), body.into()), kind))
    }

    // Words and signs.

    fn deeper<T>(&mut self, f: impl Fn(&mut Self) -> Result<T, String>) -> Result<T, String> {
        if self.depth == DEPTH_MAX {
            return Err(words::too_deep(DEPTH_MAX));
        }
        self.depth += 1;
        let made = f(self);
        self.depth -= 1;
        made
    }

    fn peek(&self) -> Option<ExprTokenKind<'a>> {
        self.tokens.get(self.next).map(|t| t.what.clone())
    }

    fn here(&self) -> &'a str {
        let token = self.tokens.get(self.next);
        token.map_or("", |t| match &t.what {
            ExprTokenKind::Word(word) | ExprTokenKind::Text(word) => word,
            ExprTokenKind::Int(_) | ExprTokenKind::Sign(_) => words::THIS,
        })
    }

    fn sees(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(ExprTokenKind::Sign(s)) if s == sign)
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let there = self.sees(sign);
        self.next += usize::from(there);
        there
    }

    fn take_word(&mut self, word: &str) -> bool {
        let there = matches!(self.peek(), Some(ExprTokenKind::Word(w)) if w == word);
        self.next += usize::from(there);
        there
    }

    fn sign(&mut self, sign: &str) -> Result<(), String> {
        if self.take_sign(sign) {
            return Ok(());
        }
        let rest = self
            .tokens
            .get(self.next)
            .map_or("", |t| &self.text[t.at..]);
        Err(match rest {
            "" => words::sign_missing_at_end(sign),
            rest => words::sign_missing_before(sign, &cut(rest)),
        })
    }

    fn word(&mut self, missing: &str) -> Result<&'a str, String> {
        let Some(ExprTokenKind::Word(word)) = self.peek() else {
            return Err(missing.into());
        };
        self.next += 1;
        Ok(word)
    }
}

fn condition(kind: Kind) -> Result<(), String> {
    match kind {
        Kind::Bool | Kind::Any => Ok(()),
        other => Err(words::value_for_condition(other)),
    }
}

fn field(node: Node, kind: Kind, name: &str, said: &str) -> Result<Typed, String> {
    match kind {
        Kind::List(_) if name == "len" => Ok((Node::Len(node.into()), Kind::Int)),
        Kind::List(_) => Err(words::field_of_list(said)),
        Kind::Record(record) => {
            let fields = record.fields();
            let found = fields.iter().find(|(field, ..)| *field == name);
            let (field, kind, noun) = found.ok_or_else(|| {
                let names: Vec<_> = fields.iter().map(|(field, ..)| *field).collect();
                words::no_such_field(said, name, &names)
            })?;
            Ok((Node::Field(node.into(), field, *noun), *kind))
        }
        other => Err(words::field_of_value(said, other, name)),
    }
}
