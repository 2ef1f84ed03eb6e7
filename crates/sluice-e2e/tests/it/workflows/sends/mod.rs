//! What steps send with `$.send`: it arrives, whatever fails, and is kept as the record of what came of it.

mod by_workflow;
pub(crate) mod email;
mod fairness;
mod http;
mod kills;
pub(crate) mod node_server;
mod notifications;
mod post_office;
mod s3;
pub(crate) mod s3_server;
mod stream;
