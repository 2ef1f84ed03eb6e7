//! Reads a query character by character.

use super::error::SearchError;

pub(super) struct Scanner<'t> {
    text: &'t str,
    /// In bytes.
    at: usize,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Scanner<'t> {
        Scanner { text, at: 0 }
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn go_to(&mut self, position: usize) {
        self.at = position;
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn is_at_end_of_term(&self) -> bool {
        self.peek().is_none_or(char::is_whitespace)
    }

    pub(super) fn skip_spaces(&mut self) {
        self.take_while(char::is_whitespace);
    }

    /// Whether the text comes next, which is skipped then.
    pub(super) fn accept(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    pub(super) fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// A text in quotes, if there is one. `\"` is a quote in it, and `\\` a backslash.
    pub(super) fn quoted(&mut self) -> Result<Option<String>, SearchError> {
        let start = self.at;
        if !self.accept("\"") {
            return Ok(None);
        }
        let mut text = String::new();
        loop {
            text += self.take_while(|c| c != '"' && c != '\\');
            if self.accept("\"") {
                return Ok(Some(text));
            }
            if self.accept("\\\"") {
                text.push('"');
            } else if self.accept("\\\\") || self.accept("\\") {
                text.push('\\');
            } else {
                return Err(self.error_at(start, "the quote is not closed"));
            }
        }
    }

    pub(super) fn error(&self, message: impl Into<String>) -> SearchError {
        self.error_at(self.at, message)
    }

    pub(super) fn error_at(&self, byte: usize, message: impl Into<String>) -> SearchError {
        SearchError {
            position: self.text[..byte].chars().count() + 1,
            message: message.into(),
        }
    }
}
