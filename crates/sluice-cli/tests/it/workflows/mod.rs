//! Workflows: what they are made of, how they run, and what they leave behind.

mod sends;
