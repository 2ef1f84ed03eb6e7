//! The HTTP layer of Sluice: the REST API, the endpoints of sources and workflows, the console and metrics.
//!
//! Every request goes through [`front`], which gives it an id and a span. It passes requests for endpoints to [`ingress`] and
//! all others to the [`router`]. Handlers extract parameters, call a service of the app and map the result. They change state
//! through the app only, and read the store directly. Every error response has the same JSON body, which [`error`] writes.

mod accept;
mod actor;
mod api_service;
mod auth;
mod body_budget;
mod cause_chain;
mod client_address;
mod connect_cookie;
mod connections;
mod console;
mod cookies;
mod cors;
mod documentation;
mod error;
mod fields;
mod front;
mod html;
mod ingress;
mod instant;
mod json_body;
mod link_span;
mod listen;
mod mcp;
mod mcp_path;
mod node_link;
mod oidc_cookie;
mod one_line;
mod openapi;
mod page;
mod passed_on;
mod passing_on;
mod path;
mod query;
mod read_body;
mod reply;
mod request_id;
mod request_span;
mod request_trace;
mod router;
mod routes;
mod same_origin;
mod scopes;
mod serve;
mod session_cookie;
mod sse;
mod standby;
mod state;
mod static_files;
mod tls;
mod wrong_keys;

pub use listen::listen;
pub use router::openapi;
pub use serve::{Listeners, serve};
pub use standby::{StartProgress, stand_by};
pub use state::ServerState;
pub use tls::{Tls, TlsError, TlsFiles};
