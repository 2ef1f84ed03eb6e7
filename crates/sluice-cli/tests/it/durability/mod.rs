//! Nothing is lost: what was accepted is run, and what ran is committed once, whatever is killed, full or gone.

mod kill;
mod ledger;
mod stage;
mod traffic;
