//! Accepting requests: find the endpoint, check the quota, store the request in the inbox, answer.

mod endpoint;
mod requests;
mod run_end;

pub use endpoint::{Endpoint, Endpoints, EventForm, Responds};
pub use requests::{Accept, Acceptance, AcceptedRequest, ReplyReceiver};
pub use run_end::{RunEnd, StoredRuns};
