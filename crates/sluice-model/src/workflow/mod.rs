//! Workflows: the document that people write, and what a version of it runs once everything it refers to was found.

pub mod definition;
pub mod document;
pub mod settings;

pub use definition::{DeployedStep, DeployedTrigger, WorkflowDefinition};
pub use document::{Document, EnvValue, Step, StepCode, Trigger};
pub use settings::{RetryPolicy, Throttle, WorkflowSettings};
