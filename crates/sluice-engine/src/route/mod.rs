//! Routing: who gets an event.

mod router;

pub use router::{Recipients, Routed, Router};
