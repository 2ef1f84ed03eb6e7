//! Errors name their position.

use crate::search::{SearchError, SearchQuery};

fn error(text: &str) -> (usize, String) {
    let SearchError { position, message } = SearchQuery::parse(text).expect_err(text);
    (position, message)
}

#[test]
fn an_error_has_its_position_in_characters() {
    for (text, position, message) in [
        ("total:", 7, "a value is missing"),
        ("ü total:>", 10, "a value is missing"),
        ("total: 5", 7, "a value is missing"),
        ("a \"open", 3, "the quote is not closed"),
        ("a:\"open", 3, "the quote is not closed"),
        ("\"a\"b", 4, "a space is missing after the quote"),
        ("x:\"a\"b", 6, "a space is missing after the quote"),
        (":5", 1, "the name of a field is missing"),
        ("\"\":5", 1, "the name of a field is missing"),
        ("a..b:5", 3, "a name is missing in the path of a field"),
        ("a.:5", 3, "a name is missing in the path of a field"),
        ("a -", 4, "a term is missing after \"-\""),
        ("\"\"", 1, "the quotes are empty"),
        ("a *", 3, "a word is missing beside \"*\""),
        ("a\0b", 2, "a query has no NUL characters"),
    ] {
        assert_eq!(error(text), (position, message.to_owned()), "{text:?}");
    }
    let (position, message) = error("a OR b");
    assert_eq!(position, 3);
    assert!(message.starts_with("OR is not an operator"), "{message}");
}

#[test]
fn a_query_is_bounded() {
    assert!(SearchQuery::parse(&"x".repeat(1_000)).is_ok());
    assert_eq!(
        error(&"x".repeat(1_001)).1,
        "a query has at most 1000 bytes"
    );
    assert!(SearchQuery::parse(&"x ".repeat(32)).is_ok());
    assert_eq!(error(&"x ".repeat(33)).0, 65);
}

#[test]
fn the_text_of_an_error_ends_with_its_position() {
    let error = SearchQuery::parse("total:").unwrap_err();
    assert_eq!(error.to_string(), "a value is missing, at character 7");
}
