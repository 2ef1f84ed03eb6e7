//! The scopes of named API keys: the kinds of requests that a key may make.

/// A kind of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Reads and streams.
    Read,
    /// Runs of tools: actions that the user enabled.
    Run,
    /// Changes of sources, workflows, components, accounts, webhooks and subscriptions, and runs.
    Deploy,
    /// Administration: keys, sessions and users, and everything for operators only.
    Operate,
}

impl Scope {
    pub const ALL: [Scope; 4] = [Scope::Read, Scope::Run, Scope::Deploy, Scope::Operate];

    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::Run => "run",
            Scope::Deploy => "deploy",
            Scope::Operate => "operate",
        }
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scopes(u8);

impl Scopes {
    /// Every scope, as main keys and sessions have them.
    pub fn all() -> Scopes {
        Scope::ALL.into_iter().collect()
    }

    pub fn has(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The first scope of `self` that `other` lacks.
    pub fn missing_from(self, other: Scopes) -> Option<Scope> {
        self.iter().find(|scope| !other.has(*scope))
    }

    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.has(*scope))
    }

    /// The words of the scopes, separated by commas.
    pub fn to_text(self) -> String {
        let words: Vec<&str> = self.iter().map(Scope::as_str).collect();
        words.join(",")
    }

    /// The reverse of [`Scopes::to_text`].
    pub fn parse(text: &str) -> Option<Scopes> {
        let scope = |word| Scope::ALL.into_iter().find(|one| one.as_str() == word);
        text.split(',')
            .filter(|word| !word.is_empty())
            .map(scope)
            .collect()
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Scopes {
        Scopes(scopes.into_iter().fold(0, |bits, scope| bits | scope.bit()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_stored_as_words() {
        let some: Scopes = [Scope::Operate, Scope::Read].into_iter().collect();
        assert_eq!(some.to_text(), "read,operate");
        for scopes in [Scopes::default(), some, Scopes::all()] {
            assert_eq!(Scopes::parse(&scopes.to_text()), Some(scopes));
        }
        assert_eq!(Scopes::parse("read,write"), None);
    }

    #[test]
    fn a_missing_scope_is_found() {
        let read = Scopes::from_iter([Scope::Read]);
        assert_eq!(read.missing_from(Scopes::all()), None);
        assert_eq!(Scopes::all().missing_from(read), Some(Scope::Run));
        assert!(Scopes::default().is_empty() && !read.is_empty());
    }
}
