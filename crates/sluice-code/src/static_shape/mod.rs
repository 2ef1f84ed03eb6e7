//! The shape of a component, read from the syntax trees of its files. Nothing is run.
//!
//! Most components are object literals: constants, spreads of other files, and functions that run later. Such files have no side
//! effects when they are loaded, so their values are known without a process. The result is that of a process with stand-ins
//! for packages (`js/stand_ins.mjs`, `js/shape.mjs` of the runtime). Whatever this module does not know makes it give up, and the
//! component is read in a process.

mod compile;
mod describe;
mod early_errors;
mod evaluate;
mod expression;
mod modules;
mod names;
mod program;
mod value;

pub(crate) use modules::{SourceFile, SourceFiles, shape_of};
pub(crate) use program::Program;
