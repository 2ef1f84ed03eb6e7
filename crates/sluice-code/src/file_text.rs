//! A file of a component and the outcome of its parse.

use std::sync::Arc;

use sluice_model::{CodeError, ModuleFormat};

use crate::{
    location::Location,
    module::ParsedModule,
    source_kind::{SourceKind, module_format},
};

#[derive(Clone)]
pub(crate) enum FileText {
    /// A module, with its format by its name and its syntax.
    Module(ParsedModule, ModuleFormat),
    Json(Arc<str>),
    /// Code or JSON with errors.
    Broken(Vec<CodeError>),
    /// Neither code nor JSON.
    Other(Arc<str>),
}

impl FileText {
    /// Parses the text of a file. Blocks.
    pub(crate) fn parse(location: &Location, text: Arc<str>) -> FileText {
        if text.contains('\0') {
            let message = "the file must not contain NUL characters";
            return FileText::Broken(vec![CodeError::without_position(message)]);
        }
        match SourceKind::of(location) {
            Some(SourceKind::Code(language)) => match ParsedModule::parse_file(text, language) {
                Ok(module) => FileText::of_module(location, module),
                Err(errors) => FileText::Broken(errors),
            },
            Some(SourceKind::Json) => match serde_json::from_str::<serde::de::IgnoredAny>(&text) {
                Ok(_) => FileText::Json(text),
                Err(error) => FileText::Broken(vec![json_error(&error)]),
            },
            None => FileText::Other(text),
        }
    }

    pub(crate) fn of_module(location: &Location, module: ParsedModule) -> FileText {
        let format = module_format(location, module.format());
        FileText::Module(module, format)
    }

    /// The text of a file that has no errors.
    pub(crate) fn text(&self) -> Option<&Arc<str>> {
        match self {
            FileText::Module(module, _) => Some(module.code()),
            FileText::Json(text) | FileText::Other(text) => Some(text),
            FileText::Broken(_) => None,
        }
    }
}

fn json_error(error: &serde_json::Error) -> CodeError {
    CodeError {
        line: u32::try_from(error.line()).ok(),
        column: u32::try_from(error.column()).ok(),
        ..CodeError::without_position(format!("the JSON cannot be read: {error}"))
    }
}
