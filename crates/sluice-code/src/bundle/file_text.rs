//! One file of a bundle and the outcome of its parse.

use std::sync::Arc;

use sluice_model::{CodeError, ModuleFormat};

use super::{
    files::FileError,
    location::Location,
    source::{SourceKind, module_format},
};
use crate::{
    imports::Import, language::Language, module::Contents, nesting::fits_bundler, parse::parse_file,
};

pub(crate) struct FileText {
    pub(crate) text: Arc<str>,
    /// `None` for files that are not code.
    pub(crate) format: Option<ModuleFormat>,
    pub(crate) syntax_errors: Vec<CodeError>,
    imports: Vec<Import>,
}

impl FileText {
    /// A file that is not parsed here.
    pub(crate) fn plain(location: &Location, text: Arc<str>) -> Result<FileText, FileError> {
        if SourceKind::of(location) == Some(SourceKind::Json) && !fits_bundler(&text, None) {
            return Err(FileError::TooDeep(location.clone()));
        }
        Ok(FileText {
            text,
            format: None,
            syntax_errors: Vec::new(),
            imports: Vec::new(),
        })
    }

    /// A file of code whose contents are known.
    pub(crate) fn code(
        location: &Location,
        text: Arc<str>,
        contents: &Contents,
    ) -> Result<FileText, FileError> {
        if !fits_bundler(&text, Some(contents.tree_depth)) {
            return Err(FileError::TooDeep(location.clone()));
        }
        Ok(FileText {
            text,
            format: Some(module_format(location, contents.format)),
            syntax_errors: Vec::new(),
            imports: contents.imports.clone(),
        })
    }

    /// Parses a file of code. Blocks.
    pub(crate) fn parse(
        location: &Location,
        text: Arc<str>,
        language: Language,
    ) -> Result<FileText, FileError> {
        if !fits_bundler(&text, None) {
            return Err(FileError::TooDeep(location.clone()));
        }
        match parse_file(&text, language, Contents::of) {
            Ok(contents) => FileText::code(location, text, &contents),
            Err(errors) => Ok(FileText {
                format: Some(module_format(location, ModuleFormat::CommonJs)),
                syntax_errors: errors.errors,
                imports: Vec::new(),
                text,
            }),
        }
    }

    /// The byte offset of the first import of `specifier`.
    pub(crate) fn offset_of_import(&self, specifier: &str) -> Option<usize> {
        let mut imports = self.imports.iter();
        if let Some(import) = imports.find(|import| import.specifier == specifier) {
            return Some(import.offset);
        }
        // The bundler also resolves other calls with a path in them.
        ['"', '\'', '`']
            .iter()
            .filter_map(|quote| self.text.find(&format!("{quote}{specifier}{quote}")))
            .min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_have_their_offsets() {
        let offset = |text: &str| {
            let location = Location::new("a.js");
            let file = FileText::parse(&location, Arc::from(text), Language::JavaScript);
            file.ok()?.offset_of_import("./a")
        };
        assert_eq!(offset("// './a'\nimport x from './a'"), Some(23));
        assert_eq!(offset("const a = require(\"./a\")"), Some(18));
        assert_eq!(offset("const a = 1"), None);
    }
}
