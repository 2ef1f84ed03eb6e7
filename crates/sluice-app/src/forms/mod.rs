//! Forms: options of props, and dynamic props.

mod ask;
mod draft;
mod dynamic_props;
mod options;

pub use ask::Forms;
pub use draft::Draft;
pub(crate) use draft::{Asked, Previous, given_for};
pub use dynamic_props::DeclaredProps;
pub use options::{Choice, OptionsAnswer, OptionsQuestion};
