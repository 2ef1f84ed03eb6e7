//! How requests name components.

use std::collections::BTreeMap;

use sluice_model::ComponentId;

/// Code of a request: text, an address, or both. With both, the address only says where the code lives.
#[derive(Debug, Clone, Default)]
pub struct CodeInput {
    pub code: Option<String>,
    pub url: Option<String>,
    /// The files that the code may import.
    pub files: Option<FilesInput>,
}

/// Files that come with the code of a request.
#[derive(Debug, Clone)]
pub struct FilesInput {
    /// The path of the code itself.
    pub path: String,
    /// The texts of the other files, by path.
    pub files: BTreeMap<String, String>,
}

/// The component of a source.
#[derive(Debug, Clone)]
pub enum ComponentRef {
    Id(ComponentId),
    RegistryKey(String),
    /// The id or the key of a published component, or of one of the user's own.
    Named(String),
    Code(CodeInput),
}
