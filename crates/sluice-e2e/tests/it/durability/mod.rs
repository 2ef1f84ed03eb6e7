//! Nothing is lost: what was accepted is run, and what ran is committed once, whatever is killed, full or gone.

mod assembly;
mod crashes;
mod creation;
mod crowds;
mod delivery_audit;
mod delivery_kills;
mod forgetful_proxy;
mod full_disk;
mod kill;
mod lost_answers;
mod mailroom;
mod outage;
mod overlap;
pub(crate) mod processes;
mod quotas;
mod rounds;
mod shared_processes;
mod shutdown;
mod small_disk;
mod stage;
mod timers;
mod traffic;
mod warm;
mod workflow_kills;
mod workflow_outages;
mod workflow_queue;
mod workflow_waits;
