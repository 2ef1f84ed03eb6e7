//! The client secret: from a file, standard input or a prompt. It is never a value on the command line.

use std::{path::PathBuf, sync::Arc};

use anyhow::Context;
use clap::Args;

use super::oauth_flags::OAUTH;
use crate::commands::{
    ask,
    prompt::{self, Question},
    secret_file::read_secret,
};

const FLAG: &str = "--client-secret-file";

#[derive(Debug, Args)]
pub(super) struct ClientSecret {
    /// File with the client secret; - reads standard input [default: a prompt on a terminal]
    #[arg(long, value_name = "FILE", help_heading = OAUTH)]
    client_secret_file: Option<PathBuf>,
}

impl ClientSecret {
    /// `None` keeps the stored secret, if there is one.
    pub(super) async fn read(&self, app: &str, json: bool) -> anyhow::Result<Option<String>> {
        match &self.client_secret_file {
            Some(path) => read_secret(path).context(FLAG).map(Some),
            None if ask::is_interactive(json) => ask_hidden(app).await,
            None => Ok(None),
        }
    }
}

async fn ask_hidden(app: &str) -> anyhow::Result<Option<String>> {
    let question = Question {
        message: format!("Client secret of {app}"),
        help: Some("It is not shown. Leave it empty to keep the stored one".to_owned()),
        default: None,
    };
    let secret = prompt::hidden(question, Arc::new(|_| None)).await?;
    let secret = secret.trim();
    Ok((!secret.is_empty()).then(|| secret.to_owned()))
}
