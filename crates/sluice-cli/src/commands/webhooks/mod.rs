//! `sluice webhooks …`

mod create;
mod delete;
mod deliveries;
mod health;
mod retry;
mod show;
mod target;

use clap::Subcommand;

pub(crate) use self::{health::status, target::by_name};

#[derive(Debug, Subcommand)]
pub(crate) enum WebhooksCommand {
    Create(create::CreateOptions),
    Show(show::ShowOptions),
    Retry(retry::RetryOptions),
    Deliveries(deliveries::DeliveriesOptions),
    Delete(delete::DeleteOptions),
}

pub(crate) async fn run(command: WebhooksCommand) -> anyhow::Result<()> {
    match command {
        WebhooksCommand::Create(options) => create::create(options).await,
        WebhooksCommand::Show(options) => show::show(options).await,
        WebhooksCommand::Retry(options) => retry::retry(options).await,
        WebhooksCommand::Deliveries(options) => deliveries::deliveries(options).await,
        WebhooksCommand::Delete(options) => delete::delete(options).await,
    }
}
