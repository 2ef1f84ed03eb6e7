//! Which component is meant: a file, a key, or an address.

use std::path::PathBuf;

use anyhow::bail;
use sluice_api::{Component, CreateComponent};
use sluice_model::ComponentKind;

use super::{
    code::{self, EXTENSIONS},
    progress::during,
};
use crate::{
    client::{Client, ClientError, escaped},
    exit::NotFound,
};

/// What somebody named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ComponentName {
    File(PathBuf),
    Url(String),
    Key(String),
}

/// A component that the server has.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) component: Component,
    /// Under which key it was found, rather than saved for this.
    key: Option<String>,
}

/// How a request names a component, if it names one: by one of the two.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reference {
    pub(crate) component_id: Option<String>,
    pub(crate) key: Option<String>,
}

impl ComponentName {
    /// What is there as a file is a file, and so is what looks like one.
    pub(crate) fn parse(text: &str) -> ComponentName {
        let path = PathBuf::from(text);
        let is_url = ["http://", "https://"]
            .iter()
            .any(|scheme| text.starts_with(scheme));
        let looks_like_file = text.contains(['/', '.']);
        if is_url {
            ComponentName::Url(text.to_owned())
        } else if looks_like_file || path.is_file() {
            ComponentName::File(path)
        } else {
            ComponentName::Key(text.to_owned())
        }
    }

    /// Makes the component known to the server, as far as it is not.
    pub(crate) async fn known(&self, client: &Client) -> anyhow::Result<Known> {
        let new = match self {
            ComponentName::Key(key) => return by_key(client, key).await,
            ComponentName::Url(url) => CreateComponent {
                component_url: Some(url.clone()),
                ..CreateComponent::default()
            },
            ComponentName::File(path) => {
                let extension = path.extension().and_then(|extension| extension.to_str());
                if let Some("yaml" | "yml") = extension {
                    bail!(
                        "{} looks like a workflow: `sluice workflows deploy {0}` deploys it",
                        path.display()
                    );
                }
                if path.is_file() && extension.is_none_or(|found| !EXTENSIONS.contains(&found)) {
                    bail!(
                        "{} is no file of code: components are in files that end in .{}",
                        path.display(),
                        EXTENSIONS.join(", .")
                    );
                }
                let module = match code::read_module(path).await? {
                    Ok(module) => module,
                    Err(faults) => bail!("{}", faults.join("\n")),
                };
                CreateComponent {
                    component_code: Some(module.sent()),
                    ..CreateComponent::default()
                }
            }
        };
        save(client, &new).await
    }
}

impl Known {
    pub(crate) fn reference(&self) -> Reference {
        match &self.key {
            Some(key) => Reference {
                component_id: None,
                key: Some(key.clone()),
            },
            None => Reference {
                component_id: Some(self.component.id.to_string()),
                key: None,
            },
        }
    }

    /// Id or key, for questions about it.
    pub(crate) fn id_or_key(&self) -> String {
        let id = || self.component.id.to_string();
        self.key.clone().unwrap_or_else(id)
    }

    /// Only sources are deployed.
    pub(crate) fn source(self) -> anyhow::Result<Known> {
        if self.component.kind == ComponentKind::Action {
            bail!(
                "{} is an action: it runs as a step of a workflow (`sluice init workflow` writes one)",
                self.component.name
            );
        }
        Ok(self)
    }
}

/// Saves a component, which may take a while when it needs packages.
pub(crate) async fn save(client: &Client, new: &CreateComponent) -> anyhow::Result<Known> {
    let saved = during("Reading the component", client.post("/components", new));
    Ok(Known {
        component: saved.await?,
        key: None,
    })
}

/// What the account published, else what the registry has.
async fn by_key(client: &Client, key: &str) -> anyhow::Result<Known> {
    let mut component = published(client, key).await?;
    if component.is_none() {
        let path = format!("/components/registry/{}", escaped(key));
        component = client.find(&path).await?;
    }
    match component {
        Some(component) => Ok(Known {
            component,
            key: Some(key.to_owned()),
        }),
        None => Err(NotFound(format!(
            "there is no file {key}, and neither your account nor the registry has a component of that key: \
             `sluice list registry -q WORDS` searches"
        ))
        .into()),
    }
}

async fn published(client: &Client, key: &str) -> Result<Option<Component>, ClientError> {
    let query = [("scope", "published"), ("q", key), ("limit", "100")];
    let page = client.page::<Component>("/components", &query).await?;
    let has_key = |component: &Component| component.key.as_deref() == Some(key);
    Ok(page.data.into_iter().find(has_key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_an_address_a_file_or_a_key() {
        let file = |path: &str| ComponentName::File(PathBuf::from(path));
        for (text, meant) in [
            (
                "https://x/y.mjs",
                ComponentName::Url("https://x/y.mjs".to_owned()),
            ),
            ("a.mjs", file("a.mjs")),
            ("./a", file("./a")),
            (
                "github-new-issue",
                ComponentName::Key("github-new-issue".to_owned()),
            ),
        ] {
            assert_eq!(ComponentName::parse(text), meant);
        }
    }
}
