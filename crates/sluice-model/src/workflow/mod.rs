//! Workflows: the document that people write, and what a version of it runs once everything it refers to was found.

pub mod definition;
pub mod document;
pub mod expressions;
pub mod fault;
pub mod path;
pub mod places;
pub mod run;
pub mod settings;

mod names;
mod parsing;
mod schema;

pub use definition::{DeployedStep, DeployedTrigger, WorkflowDefinition};
pub use document::{Document, EnvValue, Step, StepCode, Trigger};
pub use fault::{DocumentFault, StepPropError};
pub use parsing::parse;
pub use path::{PathPart, path_text};
pub use places::{Place, Places};
pub use run::{Pause, PauseKind, RunError, RunOrigin};
pub use schema::SCHEMA;
pub use settings::{RetryPolicy, Throttle, WorkflowSettings};
