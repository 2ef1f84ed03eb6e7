//! The deletion of one resource, after confirmation.

use clap::Args;
use serde_json::json;

use super::{
    ask::Confirmation,
    common::Common,
    output::{show, show_json},
};
use crate::client::Client;

/// The flags of a command that deletes one resource.
#[derive(Debug, Args)]
pub(crate) struct DeleteFlags {
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    common: Common,
}

/// A resource to delete.
pub(crate) struct Deletion {
    /// Such as `/webhooks`.
    pub(crate) collection: &'static str,
    pub(crate) id: String,
    /// The name in the report.
    pub(crate) name: String,
    pub(crate) question: String,
}

impl DeleteFlags {
    pub(crate) fn client(&self) -> anyhow::Result<Client> {
        self.common.connection.client()
    }

    /// Asks for confirmation, deletes, and reports.
    pub(crate) async fn delete(&self, client: &Client, deletion: Deletion) -> anyhow::Result<()> {
        let Deletion {
            collection,
            id,
            name,
            question,
        } = deletion;
        let json = self.common.json;
        self.confirmation.require(question, json).await?;
        client.delete(&format!("{collection}/{id}")).await?;
        if json {
            return show_json(&json!({ "deleted": id }));
        }
        Ok(show(&format!("Deleted {name}\n"))?)
    }
}
