//! Deploying and changing workflows, and looking after their runs.

mod deploy;
mod runs;
