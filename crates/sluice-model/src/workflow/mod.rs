//! Workflows: the document that users write, and the definition that a version runs.

pub mod definition;
pub mod document;
pub mod error;
pub mod expressions;
pub mod path;
pub mod position;
pub mod positions;
pub mod run;
pub mod settings;

mod names;
mod parsing;
mod schema;

pub use definition::{DeployedStep, DeployedTrigger, WorkflowDefinition};
pub use document::{Document, EnvValue, Step, StepCode, Trigger};
pub use error::{DocumentError, StepPropError};
pub use parsing::parse;
pub use path::{PathPart, path_text};
pub use position::Position;
pub use positions::Positions;
pub use run::{Pause, PauseKind, RunError, RunOrigin};
pub use schema::SCHEMA;
pub use settings::{RetryPolicy, Throttle, WorkflowSettings};
