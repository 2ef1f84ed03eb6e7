//! Numeric ids, which are compared exactly.
//!
//! Ids such as snowflakes do not fit an `f64`, so whole numbers stay whole.

use std::{cmp::Ordering, fmt};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A finite number.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Number {
    Whole(i128),
    Fraction(f64),
}

impl Number {
    pub(crate) fn parse(text: &str) -> Option<Number> {
        let text = text.trim();
        if let Ok(whole) = text.parse() {
            return Some(Self::Whole(whole));
        }
        text.parse()
            .ok()
            .filter(|number: &f64| number.is_finite())
            .map(Self::Fraction)
    }

    fn compare(self, other: Number) -> Ordering {
        match (self, other) {
            (Self::Whole(a), Self::Whole(b)) => a.cmp(&b),
            (Self::Fraction(a), Self::Fraction(b)) => {
                a.partial_cmp(&b).expect("finite numbers are ordered")
            }
            (Self::Whole(a), Self::Fraction(b)) => compare_whole(a, b),
            (Self::Fraction(a), Self::Whole(b)) => compare_whole(b, a).reverse(),
        }
    }
}

/// Compares without rounding `whole` to an `f64`.
fn compare_whole(whole: i128, fraction: f64) -> Ordering {
    // 2^127, the first number above every `i128`; its negative is the lowest `i128` itself.
    const ABOVE: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;
    if fraction >= ABOVE {
        return Ordering::Less;
    }
    if fraction < -ABOVE {
        return Ordering::Greater;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "whole and within the bounds of i128"
    )]
    let floor = fraction.floor() as i128;
    whole.cmp(&floor).then(if fraction.fract() == 0.0 {
        Ordering::Equal
    } else {
        Ordering::Less
    })
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.compare(*other) == Ordering::Equal
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.compare(*other))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(whole) => whole.fmt(f),
            Self::Fraction(fraction) => fraction.fmt(f),
        }
    }
}

/// As text, because JSON numbers lose digits on the way through most readers.
impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom("not a number"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap()
    }

    #[test]
    fn big_whole_numbers_are_compared_exactly() {
        assert!(number("9007199254740993") > number("9007199254740992"));
        assert!(number("9007199254740993") > number("9007199254740992.0"));
        assert!(number("1e40") > number("170141183460469231731687303715884105727"));
        assert!(number("-1e40") < number("0"));
    }

    #[test]
    fn fractions_and_whole_numbers_mix() {
        assert!(number("1.5") > number("1"));
        assert!(number("1.5") < number("2"));
        assert!(number("-1.5") < number("-1"));
        assert!(number("-1.5") > number("-2"));
        assert_eq!(number("5.0"), number("5"));
        assert_eq!(number(" 1e3 "), number("1000"));
    }

    #[test]
    fn only_finite_numbers_parse() {
        for bad in [
            "",
            " ",
            "abc",
            "NaN",
            "inf",
            "-infinity",
            "1,5",
            "0x10",
            "1e999",
        ] {
            assert!(Number::parse(bad).is_none(), "{bad:?}");
        }
    }
}
