//! The starter set: components that come with this program. They are in the folder `starter` of the repository, and the server
//! registers them at its start.

mod registration;
mod set;
#[cfg(test)]
mod tests;
mod worker;

pub(crate) use worker::run;
