//! `{{ … }}` in the props of steps: JavaScript that is evaluated in the process, for each step anew.

mod check;
mod template;

pub use check::{ExpressionFault, check_expressions};
pub(crate) use template::template;
