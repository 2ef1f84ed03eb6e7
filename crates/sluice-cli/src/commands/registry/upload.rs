//! Sends a tree to the server and reads the progress.

use anyhow::bail;
use reqwest::Response;
use sluice_api::{Import, ImportMode, ImportProgress};

use super::pack::PackedTree;
use crate::{
    client::{Client, ClientError, escaped},
    exit::NotFound,
};

const IMPORTS: &str = "/components/registry/imports";

/// The steps of an import, as they come.
pub(super) struct Progress {
    response: Response,
    url: String,
    waiting: Vec<u8>,
}

/// Fails early if the user is not the operator: a server that rejects a request need not read the archive.
pub(super) async fn imports(client: &Client) -> anyhow::Result<Vec<Import>> {
    client.get(IMPORTS).await.map_err(|error: ClientError| {
        if error.is_not_found() {
            let message =
                "only the operator can change the registry, and this API key is not the operator's";
            NotFound(message.to_owned()).into()
        } else {
            error.into()
        }
    })
}

pub(super) async fn send(
    client: &Client,
    tree: PackedTree,
    mode: ImportMode,
    prune: bool,
) -> anyhow::Result<Progress> {
    imports(client).await?;
    let mode = match mode {
        ImportMode::Import => "import",
        ImportMode::Check => "check",
        ImportMode::Load => "load",
    };
    let path = format!(
        "{IMPORTS}?tree={}&apps={}&mode={mode}&prune={prune}",
        escaped(&tree.name),
        escaped(&tree.apps.join(","))
    );
    let file = tokio::fs::File::from_std(tree.archive);
    Ok(Progress {
        response: client.upload(&path, file).await?,
        url: client.url().to_owned(),
        waiting: Vec::new(),
    })
}

impl Progress {
    /// The next step. `None` after the last one.
    pub(super) async fn next(&mut self) -> anyhow::Result<Option<ImportProgress>> {
        loop {
            if let Some(end) = self.waiting.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.waiting.drain(..=end).collect();
                if line.trim_ascii().is_empty() {
                    continue;
                }
                return match serde_json::from_slice(&line) {
                    Ok(ImportProgress::Finished) => Ok(None),
                    Ok(ImportProgress::Failed { error }) => bail!(error),
                    Ok(step) => Ok(Some(step)),
                    Err(cause) => bail!(ClientError::invalid_response(&self.url, cause)),
                };
            }
            let chunk = self.response.chunk().await;
            match chunk.map_err(|cause| ClientError::unreachable(&self.url, cause))? {
                Some(chunk) => self.waiting.extend_from_slice(&chunk),
                None => bail!("{} closed the connection before the end", self.url),
            }
        }
    }
}
