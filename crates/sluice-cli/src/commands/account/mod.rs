//! A whole account in a folder, so that it can live in version control.
//!
//! `server` is what the server has, `folder` what files say, both by name; `picture` makes the second from the first. `read` and
//! `write` are between a folder and its files. `plan` finds the differences of a folder and a server, and `act` removes them.

mod act;
mod apply;
mod describe;
mod differences;
mod export;
mod folder;
mod ids;
mod matching;
mod names;
mod picture;
mod plan;
mod props;
mod read;
mod server;
mod source_file;
mod write;

pub(crate) use apply::{ApplyOptions, apply};
pub(crate) use export::{ExportOptions, export};
