//! `sluice webhooks …`

mod create;
mod delete;
mod deliveries;
mod target;

use clap::Subcommand;

pub(crate) use self::target::by_name;

#[derive(Debug, Subcommand)]
pub(crate) enum WebhooksCommand {
    Create(create::CreateOptions),
    Deliveries(deliveries::DeliveriesOptions),
    Delete(delete::DeleteOptions),
}

pub(crate) async fn run(command: WebhooksCommand) -> anyhow::Result<()> {
    match command {
        WebhooksCommand::Create(options) => create::create(options).await,
        WebhooksCommand::Deliveries(options) => deliveries::deliveries(options).await,
        WebhooksCommand::Delete(options) => delete::delete(options).await,
    }
}
