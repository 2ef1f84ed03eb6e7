//! The data of a server: backups, restores, and moves between the databases.

mod interrupted;
mod journal;
mod moves;
mod refusals;
mod restore_drill;
mod rotation;
mod site;
