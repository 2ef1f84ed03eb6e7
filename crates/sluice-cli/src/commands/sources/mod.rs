//! Commands on one source.

mod delete;
mod describe;
mod events;
mod logs;
mod run;
mod target;

pub(crate) use self::{
    delete::{DeleteOptions, delete},
    describe::{DescribeOptions, describe},
    events::{EventsOptions, events},
    logs::{LogsOptions, logs},
    run::{RunOptions, run},
    target::Target,
};
