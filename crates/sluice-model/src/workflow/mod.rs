//! Workflows: the document that people write, and what a version of it runs once everything it refers to was found.

pub mod definition;
pub mod document;
pub mod run;
pub mod settings;

pub use definition::{DeployedStep, DeployedTrigger, WorkflowDefinition};
pub use document::{Document, EnvValue, Step, StepCode, Trigger};
pub use run::{Pause, PauseKind, RunError, RunOrigin};
pub use settings::{RetryPolicy, Throttle, WorkflowSettings};
