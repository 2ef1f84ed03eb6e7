//! Reads and bundles user code: parsing, import specifiers, syntax errors, and joining files into one module.
//!
//! [`ParsedModule`] is the outcome of one parse and is passed on, so that no text is parsed twice on its way to a process.
//! Everything that depends on oxc or rolldown is in this crate.

mod auth_fields;
mod bundle;
mod component_check;
mod expressions;
mod imports;
mod inline_map;
mod insertions;
mod language;
mod module;
mod nesting;
mod parse;
mod position;
mod scheduled_script;
mod specifier;
mod stand_ins;
mod step_code;

pub use auth_fields::AuthFields;
pub use bundle::{
    Bundle, BundleOptions, FileError, Files, Limits, LocalFiles, Location, MemoryFiles,
    RemoteFiles, SourceMap, bundle,
};
pub use component_check::looks_like_component;
pub use expressions::{ExpressionError, check_expressions};
pub use inline_map::{with_inline_map, without_inline_map};
pub use language::Language;
pub use module::{PackageImport, ParsedModule, RelativeImport};
pub use parse::detect_language;
pub use scheduled_script::scheduled_script;
pub use specifier::PackageRequest;
pub use step_code::parse_step;
