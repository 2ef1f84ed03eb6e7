//! Workflows: what they are made of, how they run, and what they leave behind.

pub(crate) mod fixtures;
mod manage;
pub(crate) mod sends;
