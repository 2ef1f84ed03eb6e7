//! The kinds of files that a component may have.

use sluice_model::ModuleFormat;

use crate::{language::Language, location::Location};

/// The extensions that an import without one may mean, in the order in which they are tried.
pub(crate) const EXTENSIONS: [&str; 7] = ["mjs", "js", "cjs", "ts", "mts", "cts", "json"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceKind {
    Code(Language),
    Json,
}

impl SourceKind {
    /// `None` if the file is of another kind. A file without an extension is JavaScript, as in Node.
    pub(crate) fn of(location: &Location) -> Option<SourceKind> {
        match location.extension() {
            None | Some("mjs" | "js" | "cjs") => Some(SourceKind::Code(Language::JavaScript)),
            Some("ts" | "mts" | "cts") => Some(SourceKind::Code(Language::TypeScript)),
            Some("json") => Some(SourceKind::Json),
            Some(_) => None,
        }
    }
}

/// The format of a file whose syntax has the format `by_syntax`. The extension decides first.
pub(crate) fn module_format(location: &Location, by_syntax: ModuleFormat) -> ModuleFormat {
    match location.extension() {
        Some("mjs" | "mts" | "json") => ModuleFormat::EsModule,
        Some("cjs") => ModuleFormat::CommonJs,
        _ => by_syntax,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_before_the_syntax() {
        for (name, by_syntax, expected) in [
            ("a.mjs", ModuleFormat::CommonJs, ModuleFormat::EsModule),
            ("a.cjs", ModuleFormat::EsModule, ModuleFormat::CommonJs),
            ("a.js", ModuleFormat::CommonJs, ModuleFormat::CommonJs),
            ("a.ts", ModuleFormat::EsModule, ModuleFormat::EsModule),
        ] {
            assert_eq!(module_format(&Location::new(name), by_syntax), expected);
        }
    }
}
