//! The languages of user code.

use oxc_span::SourceType;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    JavaScript,
    TypeScript,
}

impl Language {
    /// The syntax decides whether the code is a script or a module.
    pub(crate) fn source_type(self) -> SourceType {
        match self {
            Language::JavaScript => SourceType::unambiguous(),
            Language::TypeScript => SourceType::unambiguous().with_typescript(true),
        }
    }
}
