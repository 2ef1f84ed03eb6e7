//! Live streams: readers get events and log lines as soon as they are committed.
//!
//! The store is the truth, and a feed only announces its changes. A reader that reconnects, that falls behind, or for which
//! an event is too large to be shared reads the store from its position.

mod end;
mod event_reader;
mod feed;
mod followers;
mod log_reader;
mod other_nodes;
mod permit;
#[expect(clippy::module_inception, reason = "the service of the folder")]
mod streams;
mod subscription;
mod traffic;

pub use end::StreamEnd;
pub use event_reader::{EventReader, StreamedEvent};
pub use feed::LiveEvent;
pub use log_reader::LogReader;
pub use streams::Streams;
pub use traffic::{
    EmitterTraffic, LiveTraffic, RouteTraffic, TrafficReader, TrafficSecond, WebhookTraffic,
};
