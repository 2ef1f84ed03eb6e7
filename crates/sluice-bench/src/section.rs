//! The sections of the benchmark.

use std::{pin::Pin, sync::Arc};

use clap::ValueEnum;

use crate::{
    account_load, cold_start, database_delay, delay, delivery, fan_out, import, live_sources,
    memory, report::SectionResult, search, settings::Settings, several_nodes, timers,
    timers_at_scale, workflows,
};

type Measured = Pin<Box<dyn Future<Output = SectionResult>>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Section {
    /// Durable events per second through an HTTP source
    A,
    /// The same load on a bare Deno handler, as the baseline
    B,
    /// Latency of the first event to a source whose process is not running
    C,
    /// Memory with 10,000 idle sources, and memory of a running source
    D,
    /// Time from tick to run for 1,000 timers due in the same second
    E,
    /// Events per second delivered to one webhook
    F,
    /// Events per second delivered to 1,000 webhooks that listen to one source
    G,
    /// Events per second to 1,000 readers of one stream, and memory of each reader
    H,
    /// Delay from commit to delivery while idle
    I,
    /// Runs per second of a workflow of three steps
    J,
    /// Time of a workflow step, and latency of a run while idle
    K,
    /// Time and memory to import 2,000 components into the registry, twice
    L,
    /// Lateness and CPU of 2,000 crons due in the same second of every minute, beside 8,000 idle sources
    M,
    /// Lateness and CPU of 2,000 timers spread evenly over the minute, beside 8,000 idle sources
    N,
    /// Memory of 200 live sources of one account and component
    O,
    /// Durable events per second with 1 ms of delay to PostgreSQL, and the ratio to no delay. PostgreSQL only
    P,
    /// Commits per second of 1,000 sources of one account
    Q,
    /// Durable events per second, CPU per event and lock waits with 1, 2 and 3 nodes, and overhead of a node that does not own the
    /// source for `customResponse`. PostgreSQL only
    R,
    /// First page of searches in a source with 1,000,000 events
    S,
}

impl Section {
    pub(crate) const ALL: [Self; 19] = [
        Self::A,
        Self::B,
        Self::C,
        Self::D,
        Self::E,
        Self::F,
        Self::G,
        Self::H,
        Self::I,
        Self::J,
        Self::K,
        Self::L,
        Self::M,
        Self::N,
        Self::O,
        Self::P,
        Self::Q,
        Self::R,
        Self::S,
    ];

    /// The title of the section and its measurement. None for a and b, which run interleaved.
    pub(crate) fn measure(self, settings: Arc<Settings>) -> Option<(&'static str, Measured)> {
        let section: (&'static str, Measured) = match self {
            Self::A | Self::B => return None,
            Self::C => ("first event (c)", Box::pin(cold_start::measure(settings))),
            Self::D => ("memory (d)", Box::pin(memory::measure(settings))),
            Self::E => ("timers (e)", Box::pin(timers::measure(settings))),
            Self::F => ("one webhook (f)", Box::pin(delivery::to_one(settings))),
            Self::G => ("many webhooks (g)", Box::pin(delivery::to_many(settings))),
            Self::H => ("stream readers (h)", Box::pin(fan_out::measure(settings))),
            Self::I => ("delay (i)", Box::pin(delay::measure(settings))),
            Self::J => ("runs (j)", Box::pin(workflows::throughput(settings))),
            Self::K => ("steps (k)", Box::pin(workflows::step_cost(settings))),
            Self::L => ("import (l)", Box::pin(import::measure(settings))),
            Self::M => ("crons (m)", Box::pin(timers_at_scale::crons(settings))),
            Self::N => (
                "spread timers (n)",
                Box::pin(timers_at_scale::spread(settings)),
            ),
            Self::O => (
                "live sources (o)",
                Box::pin(live_sources::measure(settings)),
            ),
            Self::P => (
                "delay to PostgreSQL (p)",
                Box::pin(database_delay::measure(settings)),
            ),
            Self::Q => ("one account (q)", Box::pin(account_load::measure(settings))),
            Self::R => ("nodes (r)", Box::pin(several_nodes::measure(settings))),
            Self::S => ("search (s)", Box::pin(search::measure(settings))),
        };
        Some(section)
    }
}
