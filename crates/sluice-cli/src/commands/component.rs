//! Resolving a component from the command line: a file, a key or a URL.

use std::path::{Path, PathBuf};

use anyhow::bail;
use sluice_api::{Component, CreateComponent};
use sluice_model::ComponentKind;

use super::{
    close_keys::close_keys,
    code::{self, EXTENSIONS},
    error_location::with_location,
    progress::during,
};
use crate::{
    client::{Client, ClientError, escaped},
    exit::NotFound,
};

/// A component as given on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ComponentName {
    File(PathBuf),
    Url(String),
    Key(String),
}

/// A component that is saved on the server.
#[derive(Debug)]
pub(crate) struct SavedComponent {
    pub(crate) component: Component,
    /// The key it was found under, unless this command saved it.
    key: Option<String>,
}

/// A component in a request body: by id, by key, or not at all.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reference {
    pub(crate) component_id: Option<String>,
    pub(crate) key: Option<String>,
}

impl ComponentName {
    /// Existing files, and text that looks like a path, are files.
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

    /// Finds the component on the server, or saves it there.
    pub(crate) async fn resolve(&self, client: &Client) -> anyhow::Result<SavedComponent> {
        match self {
            ComponentName::Key(key) => by_key(client, key).await,
            ComponentName::Url(url) => {
                let new = CreateComponent {
                    component_url: Some(url.clone()),
                    ..CreateComponent::default()
                };
                save(client, &new).await
            }
            ComponentName::File(path) => {
                let new = component_in(path).await?;
                let saved = save(client, &new).await;
                saved.map_err(|error| with_location(path, error))
            }
        }
    }
}

/// The component in a local file, with its imports.
async fn component_in(path: &Path) -> anyhow::Result<CreateComponent> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    if let Some("yaml" | "yml") = extension {
        bail!(
            "{} looks like a workflow: deploy it with `sluice workflows deploy {0}`",
            path.display()
        );
    }
    if path.is_file() && extension.is_none_or(|extension| !EXTENSIONS.contains(&extension)) {
        bail!(
            "{} is not a code file: the files of components end in .{}",
            path.display(),
            EXTENSIONS.join(", .")
        );
    }
    let module = match code::read_module(path).await? {
        Ok(module) => module,
        Err(errors) => bail!("{}", errors.join("\n")),
    };
    Ok(module.code.to_create())
}

impl SavedComponent {
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

    /// Id or key, for requests about the component.
    pub(crate) fn id_or_key(&self) -> String {
        let id = || self.component.id.to_string();
        self.key.clone().unwrap_or_else(id)
    }

    /// Fails for an action, which cannot be deployed as a source.
    pub(crate) fn require_source(self) -> anyhow::Result<SavedComponent> {
        if self.component.kind == ComponentKind::Action {
            bail!(
                "{} is an action: run it with `sluice actions run`, or as a step of a workflow",
                self.component.name
            );
        }
        Ok(self)
    }
}

impl SavedComponent {
    /// Fails for a source, which has to be deployed.
    pub(crate) fn require_action(self) -> anyhow::Result<SavedComponent> {
        if self.component.kind == ComponentKind::Action {
            return Ok(self);
        }
        bail!(
            "{} is a source, not an action: deploy it with `sluice deploy`",
            self.component.name
        );
    }
}

/// Saves a component. This can take a while if it needs npm packages.
pub(crate) async fn save(client: &Client, new: &CreateComponent) -> anyhow::Result<SavedComponent> {
    let saved = during("Saving the component", client.post("/components", new));
    Ok(SavedComponent {
        component: saved.await?,
        key: None,
    })
}

/// The account's published component with this key, else the one of the registry.
async fn by_key(client: &Client, key: &str) -> anyhow::Result<SavedComponent> {
    let mut component = published(client, key).await?;
    if component.is_none() {
        let path = format!("/components/registry/{}", escaped(key));
        component = client.find(&path).await?;
    }
    match component {
        Some(component) => Ok(SavedComponent {
            component,
            key: Some(key.to_owned()),
        }),
        None => Err(NotFound(unknown_key(client, key).await?).into()),
    }
}

async fn unknown_key(client: &Client, key: &str) -> Result<String, ClientError> {
    let close = close_keys(client, key).await?;
    let hint = if close.is_empty() {
        "search with `sluice list registry -q WORDS`".to_owned()
    } else {
        format!("did you mean {}?", close.join(", "))
    };
    Ok(format!(
        "no file {key}, and no component with this key in your account or the registry: {hint}"
    ))
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
    fn a_name_is_a_url_a_file_or_a_key() {
        let file = |path: &str| ComponentName::File(PathBuf::from(path));
        for (text, expected) in [
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
            assert_eq!(ComponentName::parse(text), expected);
        }
    }
}
