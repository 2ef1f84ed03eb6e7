//! The names that functions give to credentials.

use std::collections::HashMap;

/// Whose credentials are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Owner {
    /// The app whose definition this is, by its number in the file.
    App(usize),
    /// The app that a prop or variable holds.
    Name(String),
    /// `this`, outside of an app.
    This,
}

/// The meaning of a local name.
#[derive(Debug, Clone)]
pub(super) enum Local {
    /// All credentials.
    Auth(Owner),
    /// One field of them.
    Field(Owner, String),
}

/// The local names of nested functions, the innermost last.
#[derive(Debug)]
pub(super) struct Scopes(Vec<HashMap<String, Local>>);

impl Default for Scopes {
    fn default() -> Scopes {
        Scopes(vec![HashMap::new()])
    }
}

impl Scopes {
    pub(super) fn enter(&mut self) {
        self.0.push(HashMap::new());
    }

    pub(super) fn leave(&mut self) {
        self.0.pop();
    }

    pub(super) fn declare(&mut self, name: &str, local: Local) {
        if let Some(scope) = self.0.last_mut() {
            scope.insert(name.to_owned(), local);
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Local> {
        self.0.iter().rev().find_map(|scope| scope.get(name))
    }
}
