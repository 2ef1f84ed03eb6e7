//! How requests name components.

use sluice_model::ComponentId;

/// Code of a request: text, an address, or both. With both, the address only says where the code lives.
#[derive(Debug, Clone)]
pub struct CodeInput {
    pub code: Option<String>,
    pub url: Option<String>,
}

/// The component of a source.
#[derive(Debug, Clone)]
pub enum ComponentRef {
    Id(ComponentId),
    RegistryKey(String),
    Code(CodeInput),
}
