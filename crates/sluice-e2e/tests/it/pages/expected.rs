//! Compares an output with the one that a page shows.
//!
//! `…` on the page stands for any text, and a line with nothing else for any lines. Ids, times and durations differ from run to
//! run, so they are equal to each other. JSON is compared as values, because pages show it with line breaks.

use serde_json::{Deserializer, Value};

const ANYTHING: char = '…';
/// Of ids, before an underscore.
const PREFIXES: [&str; 10] = ["dc", "p", "wh", "u", "o", "apn", "sc", "d", "whsec", "k"];

/// Whether an output is the one that the page shows.
pub(crate) fn is_as_shown(shown: &str, output: &str) -> bool {
    if let (Some(shown), Some(output)) = (values(shown), values(output)) {
        return are_same_values(&shown, &output);
    }
    let shown: Vec<&str> = shown.trim_end().lines().collect();
    let output: Vec<&str> = output.trim_end().lines().collect();
    are_lines(&shown, &output)
}

fn are_same_values(shown: &[Value], output: &[Value]) -> bool {
    let mut pairs = shown.iter().zip(output);
    shown.len() == output.len() && pairs.all(|(shown, output)| is_same_value(shown, output))
}

/// A text that is nothing but JSON values.
fn values(text: &str) -> Option<Vec<Value>> {
    Deserializer::from_str(text)
        .into_iter()
        .collect::<Result<_, _>>()
        .ok()
}

fn is_same_value(shown: &Value, output: &Value) -> bool {
    match (shown, output) {
        (Value::Object(shown), Value::Object(output)) => {
            let is_same = |name: &String| match (shown.get(name), output.get(name)) {
                (Some(shown), Some(output)) => is_same_value(shown, output),
                _ => false,
            };
            shown.len() == output.len() && shown.keys().all(is_same)
        }
        (Value::Array(shown), Value::Array(output)) => are_same_values(shown, output),
        (Value::String(shown), Value::String(output)) => is_line(shown, output),
        _ => masked(&shown.to_string()) == masked(&output.to_string()),
    }
}

fn are_lines(shown: &[&str], output: &[&str]) -> bool {
    match shown {
        [] => output.is_empty(),
        [line, rest @ ..] if line.trim() == "…" => {
            (0..=output.len()).any(|skipped| are_lines(rest, &output[skipped..]))
        }
        [line, rest @ ..] => output
            .split_first()
            .is_some_and(|(first, others)| is_line(line, first) && are_lines(rest, others)),
    }
}

fn is_line(shown: &str, output: &str) -> bool {
    let (shown, output) = (masked(shown.trim_end()), masked(output.trim_end()));
    let parts: Vec<&str> = shown.split(ANYTHING).collect();
    let [first, between @ .., last] = parts.as_slice() else {
        return shown == output;
    };
    let Some(mut rest) = output.strip_prefix(first) else {
        return false;
    };
    for part in between {
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        rest = after;
    }
    rest.ends_with(last)
}

/// The text, with the same mark in place of everything that differs from run to run.
fn masked(text: &str) -> String {
    let mut masked = String::new();
    let mut word = String::new();
    for character in text.chars().chain(['\n']) {
        if character.is_ascii_alphanumeric() || character == '_' {
            word.push(character);
        } else {
            masked.push_str(if is_random(&word) { "ID" } else { &word });
            word.clear();
            masked.push(character);
        }
    }
    masked.pop();
    without_durations(&masked)
}

fn is_random(word: &str) -> bool {
    let is_id = |(prefix, rest): (&str, &str)| PREFIXES.contains(&prefix) && rest.len() >= 6;
    word.split_once('_').is_some_and(is_id)
        || (word.len() >= 32 && word.chars().all(|c| c.is_ascii_hexdigit()))
        || (word.len() == 27 && word.chars().all(|c| c.is_ascii_alphanumeric()))
        || (word.len() == 13 && word.chars().all(|c| c.is_ascii_digit()))
}

/// `69 ms` and `1.2 s` become `TIME`.
fn without_durations(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let mut shown: Vec<&str> = Vec::new();
    for word in words {
        let is_number = |text: &str| text.parse::<f64>().is_ok();
        if ["ms", "s"].contains(&word) && shown.last().is_some_and(|last| is_number(last)) {
            shown.pop();
            shown.push("TIME");
        } else {
            shown.push(word);
        }
    }
    shown.join(" ")
}

#[test]
fn what_differs_from_run_to_run_is_equal() {
    for (shown, output) in [
        ("id  dc_uVBjvyjye8aV\n", "id  dc_AAAAvyjye8aV"),
        ("took 69 ms", "took 1.2 s"),
        ("one\n…\nlast", "one\ntwo\nthree\nlast"),
        (
            "{\"a\": \"p_…\", \"b\": 1795035110716}",
            "{\"b\":1795035110717,\"a\":\"p_x\"}",
        ),
    ] {
        assert!(is_as_shown(shown, output), "{shown}\n{output}");
    }
}

#[test]
fn what_a_page_shows_wrongly_is_noticed() {
    for (shown, output) in [
        ("one", "one\ntwo"),
        ("…\nlast", "first"),
        ("a … c", "a b"),
        ("{\"a\": 1}", "{\"a\": 2}"),
        ("{\"a\": 1}", "{\"a\": 1, \"b\": 1}"),
    ] {
        assert!(!is_as_shown(shown, output), "{shown}\n{output}");
    }
}
