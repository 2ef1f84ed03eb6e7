//! `sluice webhooks …`

mod create;
mod delete;
mod deliveries;
mod health;
mod replay;
mod retry;
mod rotate;
mod show;
mod target;
mod update;

use clap::Subcommand;

pub(crate) use self::{health::status, target::look_up};

#[derive(Debug, Subcommand)]
pub(crate) enum WebhooksCommand {
    Create(create::CreateOptions),
    Show(show::ShowOptions),
    Update(update::UpdateOptions),
    Rotate(rotate::RotateOptions),
    Retry(retry::RetryOptions),
    Replay(replay::ReplayOptions),
    Deliveries(deliveries::DeliveriesOptions),
    Delete(delete::DeleteOptions),
}

pub(crate) async fn run(command: WebhooksCommand) -> anyhow::Result<()> {
    match command {
        WebhooksCommand::Create(options) => create::create(options).await,
        WebhooksCommand::Show(options) => show::show(options).await,
        WebhooksCommand::Update(options) => update::update(options).await,
        WebhooksCommand::Rotate(options) => rotate::rotate(options).await,
        WebhooksCommand::Replay(options) => replay::replay(options).await,
        WebhooksCommand::Retry(options) => retry::retry(options).await,
        WebhooksCommand::Deliveries(options) => deliveries::deliveries(options).await,
        WebhooksCommand::Delete(options) => delete::delete(options).await,
    }
}
