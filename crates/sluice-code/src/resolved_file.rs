//! Files of a component whose imports are resolved.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use sluice_model::ModuleFormat;

use crate::module::ParsedModule;

#[derive(Debug, Clone)]
pub(crate) enum FileContents {
    /// A module, which may have another format than its syntax by the name of its file.
    Module(ParsedModule, ModuleFormat),
    Json(Arc<str>),
}

/// A file whose imports are resolved, but not linked.
pub(crate) struct ResolvedFile {
    pub(crate) location: String,
    pub(crate) contents: FileContents,
    /// The locations of the files that it imports, by specifier.
    pub(crate) imports: HashMap<String, String>,
    /// The ranges of its manifest for packages that it imports without a version, by name.
    pub(crate) packages: BTreeMap<String, String>,
}

impl FileContents {
    pub(crate) fn text(&self) -> &Arc<str> {
        match self {
            FileContents::Module(module, _) => module.code(),
            FileContents::Json(text) => text,
        }
    }

    pub(crate) fn format(&self) -> ModuleFormat {
        match self {
            FileContents::Module(_, format) => *format,
            FileContents::Json(_) => ModuleFormat::EsModule,
        }
    }

    pub(crate) fn module(&self) -> Option<&ParsedModule> {
        match self {
            FileContents::Module(module, _) => Some(module),
            FileContents::Json(_) => None,
        }
    }
}
