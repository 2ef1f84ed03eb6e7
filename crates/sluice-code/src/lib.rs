//! Reads user code: parsing, import specifiers, syntax errors, and linking the files of a component.
//!
//! [`ParsedModule`] is the outcome of one parse and is passed on, so that no text is parsed twice on its way to a process.
//! Everything that depends on oxc is in this crate.

mod auth;
mod code_tree;
mod component_check;
mod default_export;
mod expressions;
mod file_text;
mod imports;
mod insertions;
mod language;
mod layout;
mod link;
mod literal;
mod location;
mod module;
mod nesting;
mod parse;
mod position;
mod resolved_file;
mod sample;
mod scheduled_script;
mod self_contained;
mod source_kind;
mod specifier;
mod stand_ins;
mod static_shape;
mod step_code;
mod typescript_common_js;

pub use auth::{AuthFields, FieldUses};
pub use code_tree::CodeTree;
pub use component_check::looks_like_component;
pub use expressions::{ExpressionError, check_expressions};
pub use language::Language;
pub use link::{
    FileError, Files, Limits, LinkOptions, Linker, LocalFiles, MemoryFiles, RemoteFiles, link,
};
pub use location::Location;
pub use module::{PackageImport, ParsedModule, RelativeImport};
pub use parse::detect_language;
pub use sample::{is_sample, sample_event, sample_paths};
pub use scheduled_script::scheduled_script;
pub use self_contained::is_self_contained;
pub use specifier::PackageRequest;
pub use step_code::parse_step;
