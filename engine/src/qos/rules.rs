//! The definitions of a member: its classes and rules. This module also checks definitions against each other.

use std::sync::Arc;

use crate::base::ordered::OrdMap;

use super::arrival::{Arrival, Measures};
use super::class::{ClassKind, QosClass};
use super::error::{QosError, QosWarning};
use super::name::QosName;
use super::overlap::{RuleOverlap, rule_overlap};
use super::rule::QosRule;

/// The classes and rules of a member.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Definitions {
    classes: OrdMap<QosName, QosClass>,
    /// The rules in the order in which they are compared with a request: the first rule that matches wins.
    rules: Arc<Vec<QosRule>>,
}

impl Definitions {
    /// Returns the classes, ordered by name.
    pub fn classes(&self) -> impl Iterator<Item = &QosClass> {
        self.classes.values()
    }

    /// Returns the rules, ordered by priority (the largest first) and name.
    pub fn rules(&self) -> &[QosRule] {
        &self.rules
    }

    pub fn class(&self, name: QosName) -> Result<&QosClass, QosError> {
        let class = self.classes.get(&name);
        class.ok_or(QosError::ClassNotFound(name))
    }

    pub fn rule(&self, name: QosName) -> Result<&QosRule, QosError> {
        let rule = self.rules.iter().find(|rule| rule.name == name);
        rule.ok_or(QosError::RuleNotFound(name))
    }

    fn user_of(&self, class: QosName) -> Option<&QosRule> {
        self.rules.iter().find(|rule| rule.class == class)
    }

    /// Returns the rule that decides on a request with these measures; `None` if no rule matches.
    pub fn winner(
        &self,
        arrival: &Arrival,
        measures_for: impl Fn(&QosRule) -> Measures,
    ) -> Option<&QosRule> {
        let matches = |rule: &&QosRule| rule.mismatch(arrival, &measures_for(rule)).is_none();
        self.rules.iter().find(matches)
    }

    /// Adds a class.
    ///
    /// # Errors
    /// Returns an error if the class is invalid or already exists.
    pub fn add_class(&mut self, class: QosClass) -> Result<Vec<QosWarning>, QosError> {
        class.check()?;
        if self.classes.contains_key(&class.name) {
            return Err(QosError::ClassExists(class.name));
        }
        self.classes.insert(class.name, class);
        Ok(class_warnings(&class))
    }

    /// Replaces a class.
    ///
    /// # Errors
    /// Returns an error if the class is invalid or missing, or if a rule uses the class and the queue discipline would
    /// change.
    pub fn update_class(&mut self, class: QosClass) -> Result<Vec<QosWarning>, QosError> {
        class.check()?;
        let before = self.class(class.name)?;
        if before.kind.name() != class.kind.name()
            && let Some(rule) = self.user_of(class.name)
        {
            return Err(QosError::KindInUse {
                class: class.name,
                rule: rule.name,
            });
        }
        self.classes.insert(class.name, class);
        Ok(class_warnings(&class))
    }

    /// Deletes a class.
    ///
    /// # Errors
    /// Returns an error if the class is missing or a rule uses it.
    pub fn delete_class(&mut self, name: QosName) -> Result<(), QosError> {
        self.class(name)?;
        if let Some(rule) = self.user_of(name) {
            return Err(QosError::ClassInUse {
                class: name,
                rule: rule.name,
            });
        }
        self.classes.remove(&name);
        Ok(())
    }

    /// Checks a rule against all other definitions. A rule of the same name is ignored, because the rule may be an
    /// update. Returns the warnings.
    ///
    /// # Errors
    /// Returns an error if the rule is invalid, or can match the same operation as a rule of the same priority. With
    /// `strict`, also returns an error if only a transaction can match both rules.
    pub fn check_rule(&self, rule: &QosRule, strict: bool) -> Result<Vec<QosWarning>, QosError> {
        rule.check()?;
        self.class(rule.class)?;
        let mut warnings = rule.warnings();
        let others = || self.rules.iter().filter(|other| other.name != rule.name);
        for other in others().filter(|other| other.priority == rule.priority) {
            match rule_overlap(rule, other) {
                Some(RuleOverlap::Operation) => return Err(QosError::Overlap(other.name)),
                Some(RuleOverlap::Txn) if strict => return Err(QosError::TxnOverlap(other.name)),
                Some(RuleOverlap::Txn) => warnings.push(QosWarning::TxnOverlap(other.name)),
                None => {}
            }
        }
        if let Some(other) = others().find(|other| other.shadows(rule)) {
            warnings.push(QosWarning::Shadowed(other.name));
        }
        Ok(warnings)
    }

    /// Adds a rule.
    ///
    /// # Errors
    /// Returns an error if the rule already exists, or if [`check_rule`](Self::check_rule) returns an error.
    pub fn add_rule(&mut self, rule: QosRule, strict: bool) -> Result<Vec<QosWarning>, QosError> {
        if self.rule(rule.name).is_ok() {
            return Err(QosError::RuleExists(rule.name));
        }
        let warnings = self.check_rule(&rule, strict)?;
        self.insert(rule);
        Ok(warnings)
    }

    /// Replaces a rule.
    ///
    /// # Errors
    /// Returns an error if the rule is missing, or if [`check_rule`](Self::check_rule) returns an error.
    pub fn update_rule(
        &mut self,
        rule: QosRule,
        strict: bool,
    ) -> Result<Vec<QosWarning>, QosError> {
        self.rule(rule.name)?;
        let warnings = self.check_rule(&rule, strict)?;
        self.insert(rule);
        Ok(warnings)
    }

    fn insert(&mut self, rule: QosRule) {
        let rules = Arc::make_mut(&mut self.rules);
        rules.retain(|other| other.name != rule.name);
        let place = rules.partition_point(|other| other.order() < rule.order());
        rules.insert(place, rule);
    }

    /// Deletes a rule.
    ///
    /// # Errors
    /// Returns an error if the rule is missing.
    pub fn delete_rule(&mut self, name: QosName) -> Result<(), QosError> {
        self.rule(name)?;
        Arc::make_mut(&mut self.rules).retain(|rule| rule.name != name);
        Ok(())
    }

    /// Adds a definition from a row of the bucket `qos`, without a check against the other definitions.
    pub fn restore(&mut self, key: &[u8], row: &[u8]) {
        if key.starts_with(b"class/") {
            if let Some(class) = QosClass::decode(row) {
                self.classes.insert(class.name, class);
            }
        } else if let Some(rule) = QosRule::decode(row) {
            self.insert(rule);
        }
    }
}

pub fn class_warnings(class: &QosClass) -> Vec<QosWarning> {
    let has_no_burst = matches!(
        class.kind,
        ClassKind::Tbf { burst: 1, max_wait, .. } if max_wait.0 == 0
    ) || matches!(class.kind, ClassKind::Lbf { queue: 0, .. });
    match has_no_burst {
        true => vec![QosWarning::NoBurst(class.name)],
        false => Vec::new(),
    }
}
