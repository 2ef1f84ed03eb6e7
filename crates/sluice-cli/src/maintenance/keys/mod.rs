//! `sluice keys`

mod rotate_master;
mod rotation;

use clap::Subcommand;

use self::rotate_master::RotateMasterOptions;

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    RotateMaster(RotateMasterOptions),
}

pub(super) fn run(command: &KeysCommand) -> anyhow::Result<()> {
    match command {
        KeysCommand::RotateMaster(options) => rotate_master::rotate_master(options),
    }
}
