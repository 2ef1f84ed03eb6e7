//! Numbers in plain scalars, by the core schema of YAML 1.2: `yes` and `2024-01-01` are text.

use serde_json::Number;

/// Parses a number. None when JSON cannot represent it: an infinity, or a number that is too large.
pub(super) fn number(written: &str) -> Option<Number> {
    let radix = |digits, radix| u64::from_str_radix(digits, radix).ok().map(Number::from);
    if let Some(digits) = written.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = written.strip_prefix("0o") {
        return radix(digits, 8);
    }
    if let Ok(whole) = written.parse::<i64>() {
        return Some(whole.into());
    }
    Number::from_f64(written.parse().ok()?)
}

pub(super) fn is_number(word: &str) -> bool {
    let all = |digits: &str, radix| {
        !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix))
    };
    if let Some(digits) = word.strip_prefix("0x") {
        return all(digits, 16);
    }
    if let Some(digits) = word.strip_prefix("0o") {
        return all(digits, 8);
    }
    let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(word, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent_fits = exponent
        .is_none_or(|exponent| all(exponent.strip_prefix(['-', '+']).unwrap_or(exponent), 10));
    let digits_or_none = |digits: &str| digits.is_empty() || all(digits, 10);
    exponent_fits
        && digits_or_none(whole)
        && digits_or_none(fraction)
        && !(whole.is_empty() && fraction.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workflow::parsing::node::NodeValue;

    fn json(written: &str) -> Option<String> {
        let is_number = matches!(NodeValue::of_plain(written), Some(NodeValue::Number(_)));
        assert!(is_number, "{written:?}");
        number(written).map(|number| number.to_string())
    }

    #[test]
    fn numbers_are_those_of_the_core_schema() {
        for (written, expected) in [
            ("0", "0"),
            ("-17", "-17"),
            ("+17", "17"),
            ("007", "7"),
            ("0o14", "12"),
            ("0xFf", "255"),
            ("1.50", "1.5"),
            (".5", "0.5"),
            ("5.", "5.0"),
            ("-1.5e3", "-1500.0"),
            ("1E-2", "0.01"),
            ("9223372036854775807", "9223372036854775807"),
        ] {
            assert_eq!(json(written).as_deref(), Some(expected), "{written:?}");
        }
        for without_json in [".inf", "-.INF", ".nan", "1e999", "0xFFFFFFFFFFFFFFFFF"] {
            assert_eq!(json(without_json), None, "{without_json:?}");
        }
    }

    #[test]
    fn other_words_are_text() {
        for word in [
            "yes",
            "on",
            "2024-01-01",
            "1:30",
            "1_000",
            "-",
            "+",
            ".",
            "e5",
            "1e",
            "0x",
            "0o8",
            "1.2.3",
            "-0x1",
            "--1",
            "inf",
            "tRUE",
            "+.nan",
            "nulL",
            ".e1",
        ] {
            assert!(NodeValue::of_plain(word).is_none(), "{word:?}");
        }
    }
}
