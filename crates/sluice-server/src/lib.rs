//! The HTTP face of Sluice: the REST API, the endpoints of sources, metrics and the API's own description.
//!
//! A request meets [`front`] first, which gives it an id and sends it one of two ways: to [`ingress`] when it is for the
//! endpoint of a source, else to the [`router`]. Handlers extract, call a service of the app and map; every change of state
//! goes through the app, and the store is only read. Every response that is not a success has the same JSON body, which
//! [`error`] alone writes.

mod auth;
mod console;
mod error;
mod fields;
mod front;
mod ingress;
mod instant;
mod json_body;
mod listen;
mod one_line;
mod openapi;
mod page;
mod path;
mod query;
mod read_body;
mod reply;
mod request_id;
mod router;
mod routes;
mod same_origin;
mod serve;
mod session_cookie;
mod sse;
mod state;

pub use listen::listen;
pub use openapi::document as openapi;
pub use serve::serve;
pub use state::ServerState;
