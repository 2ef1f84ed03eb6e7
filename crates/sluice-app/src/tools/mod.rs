//! Tools: actions that a user enabled for programs such as AI agents, with an account and other preset props.

mod enable;
mod list;
mod name;
mod preset;
mod run;
mod service;

pub use enable::EnableTool;
pub use list::ToolView;
pub use service::Tools;
