//! Due work: timer ticks, held events and waiting runs become inbox rows when they are due.

mod batch;
mod clock;
mod held;
mod scheduler;
mod ticks;
pub mod waiting_runs;

pub(crate) use scheduler::Scheduler;
