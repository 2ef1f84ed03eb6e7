//! Processes that follow a script instead of running code, for tests. No Deno is involved.

mod invocation;
mod outcome;
mod process;
mod processes;
#[cfg(test)]
mod tests;

pub use invocation::{ScriptedInvocation, ScriptedModule};
pub use outcome::ScriptedOutcome;
pub use processes::{Authorization, ScriptedProcesses};
