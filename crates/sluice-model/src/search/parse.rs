//! Parses a query.

use super::{
    condition::{Comparison, Condition, Term, Test},
    error::SearchError,
    operand::Operand,
    pattern::Pattern,
    scanner::Scanner,
};

/// The longest query, in bytes.
const MAX_BYTES: usize = 1_000;
const MAX_TERMS: usize = 32;

/// Words that other languages use as operators.
const OPERATORS: [&str; 3] = ["AND", "OR", "NOT"];

const COMPARISONS: [(&str, Comparison); 4] = [
    (">=", Comparison::AtLeast),
    (">", Comparison::Above),
    ("<=", Comparison::AtMost),
    ("<", Comparison::Below),
];

pub(super) fn terms(text: &str) -> Result<Vec<Term>, SearchError> {
    let mut scanner = Scanner::new(text);
    if text.len() > MAX_BYTES {
        let message = format!("a query has at most {MAX_BYTES} bytes");
        return Err(scanner.error(message));
    }
    if let Some(at) = text.find('\0') {
        return Err(scanner.error_at(at, "a query has no NUL characters"));
    }
    let mut terms = Vec::new();
    loop {
        scanner.skip_spaces();
        if scanner.peek().is_none() {
            return Ok(terms);
        }
        if terms.len() == MAX_TERMS {
            return Err(scanner.error(format!("a query has at most {MAX_TERMS} terms")));
        }
        terms.push(term(&mut scanner)?);
    }
}

fn term(scanner: &mut Scanner<'_>) -> Result<Term, SearchError> {
    let negated = scanner.accept("-");
    if scanner.is_at_end_of_term() {
        return Err(scanner.error("a term is missing after \"-\""));
    }
    let start = scanner.position();
    let condition = if let Some(path) = path(scanner)? {
        Condition::Field {
            path,
            test: test(scanner)?,
        }
    } else {
        scanner.go_to(start);
        Condition::Text(text(scanner)?)
    };
    Ok(Term { negated, condition })
}

/// The names before a colon. None if there is no colon, or the colon belongs to a web address.
fn path(scanner: &mut Scanner<'_>) -> Result<Option<Vec<String>>, SearchError> {
    let start = scanner.position();
    let mut names = Vec::new();
    let mut empty = None;
    loop {
        let at = scanner.position();
        let name = match scanner.quoted()? {
            Some(name) => name,
            None => scanner
                .take_while(|c| !c.is_whitespace() && !matches!(c, '.' | ':' | '"'))
                .to_owned(),
        };
        if name.is_empty() {
            empty.get_or_insert(at);
        }
        names.push(name);
        if scanner.accept(".") {
            continue;
        }
        if !scanner.accept(":") || scanner.rest().starts_with("//") {
            return Ok(None);
        }
        return match empty {
            None => Ok(Some(names)),
            Some(at) if at == start => Err(scanner.error_at(at, "the name of a field is missing")),
            Some(at) => Err(scanner.error_at(at, "a name is missing in the path of a field")),
        };
    }
}

fn text(scanner: &mut Scanner<'_>) -> Result<Pattern, SearchError> {
    let start = scanner.position();
    if let Some(phrase) = scanner.quoted()? {
        if !scanner.is_at_end_of_term() {
            return Err(scanner.error("a space is missing after the quote"));
        }
        if phrase.is_empty() {
            return Err(scanner.error_at(start, "the quotes are empty"));
        }
        return Ok(Pattern::literal(&phrase));
    }
    let word = scanner.take_while(|c| !c.is_whitespace());
    if OPERATORS.contains(&word) {
        let message = format!("{word} is not an operator: terms are joined by and, \"-\" is not");
        return Err(scanner.error_at(start, message));
    }
    if word.chars().all(|c| c == '*') {
        return Err(scanner.error_at(start, "a word is missing beside \"*\""));
    }
    Ok(Pattern::with_wildcards(word))
}

/// The test after the colon of a field.
fn test(scanner: &mut Scanner<'_>) -> Result<Test, SearchError> {
    if scanner.accept("!=") {
        return operand(scanner).map(Test::Differs);
    }
    for (sign, comparison) in COMPARISONS {
        if scanner.accept(sign) {
            return Ok(Test::Compare(comparison, operand(scanner)?));
        }
    }
    let (value, is_quoted) = value(scanner)?;
    if is_quoted {
        return Ok(Test::Equal(Operand::new(&value)));
    }
    if value == "*" {
        return Ok(Test::Present);
    }
    if let Some((low, high)) = value.split_once("..")
        && !low.is_empty()
        && !high.is_empty()
    {
        return Ok(Test::Between(Operand::new(low), Operand::new(high)));
    }
    if value.contains('*') {
        return Ok(Test::Like(Pattern::with_wildcards(&value)));
    }
    Ok(Test::Equal(Operand::new(&value)))
}

fn operand(scanner: &mut Scanner<'_>) -> Result<Operand, SearchError> {
    value(scanner).map(|(text, _)| Operand::new(&text))
}

/// A value, and whether it is in quotes.
fn value(scanner: &mut Scanner<'_>) -> Result<(String, bool), SearchError> {
    if let Some(text) = scanner.quoted()? {
        if !scanner.is_at_end_of_term() {
            return Err(scanner.error("a space is missing after the quote"));
        }
        return Ok((text, true));
    }
    let text = scanner.take_while(|c| !c.is_whitespace());
    if text.is_empty() {
        return Err(scanner.error("a value is missing"));
    }
    Ok((text.to_owned(), false))
}
