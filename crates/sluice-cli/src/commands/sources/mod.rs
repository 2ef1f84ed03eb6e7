//! Commands on one source.

mod delete;
mod describe;
mod events;
mod logs;
mod rollback;
mod run;
mod target;
mod versions;

pub(crate) use self::{
    delete::{DeleteOptions, delete},
    describe::{DescribeOptions, describe},
    events::{EventsOptions, events},
    logs::{LogsOptions, logs},
    rollback::{RollbackOptions, rollback},
    run::{RunOptions, run},
    target::Target,
    versions::{VersionsOptions, versions},
};
