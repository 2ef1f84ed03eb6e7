//! The source of `sluice dev`: looking it up, creating and updating it.

use std::path::Path;

use anyhow::bail;
use serde_json::{Map, Value};
use sluice_api::{Component, CreateSource, Source, UpdateSource};
use sluice_model::{ComponentKind, code_hash, slugify};

use crate::commands::code::Code;
use crate::{
    client::{Client, ClientError},
    commands::{
        form::{Form, FormValues, PropFlags, Subject},
        sources::Target as SourceTarget,
        update::stored,
    },
};

/// The component and source that the command line selects.
pub(super) struct DevTarget<'a> {
    pub(super) client: &'a Client,
    pub(super) file: &'a Path,
    /// Id or slug of an existing source to update.
    pub(super) source: Option<&'a str>,
    pub(super) props: &'a PropFlags,
    /// Disables prompts for props.
    pub(super) json: bool,
}

/// The saved component, and the source to update.
pub(super) struct InitialState {
    pub(super) component: Component,
    /// The source that runs the component, if it exists.
    pub(super) existing: Option<Source>,
}

impl DevTarget<'_> {
    /// Saves the code as a component, and looks up its source.
    pub(super) async fn begin(&self, code: &Code) -> anyhow::Result<InitialState> {
        let new = code.to_create();
        let component: Component = self.client.post("/components", &new).await?;
        if component.kind == ComponentKind::Action {
            bail!(
                "{} is an action, which runs as a step of a workflow: test it with `sluice test {}`",
                component.name,
                self.file.display()
            );
        }
        let existing = if let Some(source) = self.source {
            Some(self.named_source(source, &component).await?)
        } else {
            let path = format!("/sources/{}", own_slug(self.file)?);
            self.client.find(&path).await?
        };
        Ok(InitialState {
            component,
            existing,
        })
    }

    async fn named_source(&self, source: &str, component: &Component) -> anyhow::Result<Source> {
        let target = SourceTarget {
            source: source.to_owned(),
        };
        let source = target.find(self.client).await?;
        let path = format!("/components/{}", source.component_id);
        let running: Component = self.client.get(&path).await?;
        if !is_same(&running, component) {
            bail!(
                "{} runs {}, but {} is {}: name another source, or omit --source to create one",
                source.name_slug,
                title(&running),
                self.file.display(),
                title(component)
            );
        }
        Ok(source)
    }

    /// Creates or updates the source, with props from flags, prompts and the existing source.
    pub(super) async fn deploy(&self, initial: &InitialState) -> anyhow::Result<Source> {
        let InitialState {
            component,
            existing,
        } = initial;
        let props = &component.configurable_props;
        let previous = existing.as_ref().map(|source| stored(props, source));
        let subject = Subject {
            component: component.id.to_string(),
            props: props.clone(),
            source: existing
                .as_ref()
                .map(|source| source.id.clone())
                .zip(previous.clone()),
        };
        let form = Form::new(self.client, subject, self.props, self.json)?;
        let name = own_slug(self.file)?;
        form.submit(async |values| match existing {
            Some(source) => {
                self.update_to(source, component, values, previous.as_ref())
                    .await
            }
            None => self.create(&name, component, values).await,
        })
        .await
    }

    async fn create(
        &self,
        name: &str,
        component: &Component,
        values: FormValues,
    ) -> Result<Source, ClientError> {
        let body = CreateSource {
            component_id: Some(component.id.to_string()),
            name: Some(name.to_owned()),
            configured_props: Some(values.configured_props),
            dynamic_props_id: values.dynamic_props_id,
            ..CreateSource::default()
        };
        self.client.post("/sources", &body).await
    }

    /// Unchanged values are not sent: the server keeps them, including secrets that it does not show.
    async fn update_to(
        &self,
        source: &Source,
        component: &Component,
        values: FormValues,
        previous: Option<&Map<String, Value>>,
    ) -> Result<Source, ClientError> {
        let is_changed = previous != Some(&values.configured_props);
        let body = UpdateSource {
            component_id: Some(component.id.to_string()),
            configured_props: is_changed.then_some(values.configured_props),
            dynamic_props_id: values.dynamic_props_id.filter(|_| is_changed),
            ..UpdateSource::default()
        };
        self.client.put(&path_of(source), &body).await
    }

    pub(super) async fn update(&self, source: &Source, code: Code) -> Result<Source, ClientError> {
        let body = UpdateSource {
            component_code: Some(code.text),
            component_files: code.files,
            ..UpdateSource::default()
        };
        self.client.put(&path_of(source), &body).await
    }

    pub(super) async fn delete(&self, source: &Source) -> Result<(), ClientError> {
        self.client.delete(&path_of(source)).await
    }
}

fn path_of(source: &Source) -> String {
    format!("/sources/{}", source.id)
}

/// Compares keys, or names if one has no key.
fn is_same(one: &Component, other: &Component) -> bool {
    match (&one.key, &other.key) {
        (Some(one), Some(other)) => one == other,
        _ => one.name == other.name,
    }
}

fn title(component: &Component) -> String {
    match &component.key {
        Some(key) => format!("{} ({key})", component.name),
        None => component.name.clone(),
    }
}

/// The slug of the file's source. It depends on the path, so that files of the same name have different sources.
fn own_slug(file: &Path) -> anyhow::Result<String> {
    let path = file.canonicalize()?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let hash = code_hash(&path.to_string_lossy());
    Ok(format!("dev-{}-{}", slugify(&stem), &hash[..6]))
}
