//! The shell's arithmetic expansion, such as `$((rev - 1))`.
//!
//! Supports whole numbers, variables, `+ - * / %` and parentheses. Left out: comparisons, assignments and bits.

/// Returns the value of an expression. `variable` returns the value of a variable. Returns `None` if the expression is
/// not supported, divides by zero, or exceeds 64 bits.
pub(crate) fn value(expression: &str, variable: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    let mut reader = Reader {
        rest: expression.trim_start(),
        variable,
        depth: 0,
    };
    let value = reader.sum()?;
    reader.rest.is_empty().then_some(value)
}

/// The maximum depth of parentheses and signs.
const DEPTH_MAX: u32 = 32;

struct Reader<'a> {
    rest: &'a str,
    variable: &'a dyn Fn(&str) -> Option<i64>,
    depth: u32,
}

impl Reader<'_> {
    /// Reads one of these characters and the white space after it.
    fn take(&mut self, characters: &str) -> Option<char> {
        let next = self.rest.chars().next()?;
        characters.contains(next).then(|| {
            self.rest = self.rest[next.len_utf8()..].trim_start();
            next
        })
    }

    fn sum(&mut self) -> Option<i64> {
        let mut value = self.product()?;
        while let Some(operator) = self.take("+-") {
            let right = self.product()?;
            value = match operator {
                '+' => value.checked_add(right)?,
                _ => value.checked_sub(right)?,
            };
        }
        Some(value)
    }

    fn product(&mut self) -> Option<i64> {
        let mut value = self.operand()?;
        while let Some(operator) = self.take("*/%") {
            let right = self.operand()?;
            value = match operator {
                '*' => value.checked_mul(right)?,
                '/' => value.checked_div(right)?,
                _ => value.checked_rem(right)?,
            };
        }
        Some(value)
    }

    fn operand(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        let value = match self.take("-+(") {
            Some('-') => self.operand()?.checked_neg()?,
            Some('+') => self.operand()?,
            Some(_) => {
                let value = self.sum()?;
                self.take(")")?;
                value
            }
            None => self.word()?,
        };
        self.depth -= 1;
        Some(value)
    }

    /// Reads a number, or a variable: `rev`, `$rev` or `${rev}`.
    fn word(&mut self) -> Option<i64> {
        let text = self.rest.strip_prefix('$').unwrap_or(self.rest);
        if let Some((name, rest)) = text.strip_prefix('{').and_then(|text| text.split_once('}')) {
            self.rest = rest.trim_start();
            return (self.variable)(name);
        }
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest.trim_start();
        match word.starts_with(|c: char| c.is_ascii_digit()) {
            true => word.parse().ok(),
            false => (self.variable)(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_have_the_values_of_a_shell() {
        let rev = |name: &str| (name == "rev").then_some(12);
        for (expression, expected) in [
            ("rev-1", Some(11)),
            ("$rev - (2 + 3) * 2", Some(2)),
            ("${rev}-1", Some(11)),
            (" -7 / 2 ", Some(-3)),
            ("7 % 4 - -1", Some(4)),
            ("1 /0", None),
            ("x", None),
            ("1 +", None),
            ("1 2", None),
            ("9223372036854775807 + 1", None),
        ] {
            assert_eq!(value(expression, &rev), expected, "{expression}");
        }
        assert_eq!(value(&"(".repeat(100_000), &rev), None);
    }
}
