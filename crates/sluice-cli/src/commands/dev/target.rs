//! The source that is developed: found, made, and updated.

use std::path::Path;

use anyhow::bail;
use serde_json::{Map, Value};
use sluice_api::{Component, CreateComponent, CreateSource, Source, UpdateSource};
use sluice_model::{ComponentKind, code_hash, slugify};

use crate::{
    client::{Client, ClientError},
    commands::{
        form::{Filled, Form, PropFlags, Subject},
        sources::Target as Named,
        update::stored,
    },
};

/// What is asked for on the command line.
pub(super) struct Wanted<'a> {
    pub(super) client: &'a Client,
    pub(super) file: &'a Path,
    /// Id or slug of the source to attach to.
    pub(super) source: Option<&'a str>,
    pub(super) props: &'a PropFlags,
    /// Nobody is asked for props then.
    pub(super) is_for_programs: bool,
}

/// What there is to begin with.
pub(super) struct Beginning {
    pub(super) component: Component,
    /// The source that runs the component already.
    pub(super) existing: Option<Source>,
}

impl Wanted<'_> {
    /// Saves the code as a component, and finds the source that is to run it.
    pub(super) async fn begin(&self, code: String) -> anyhow::Result<Beginning> {
        let new = CreateComponent {
            component_code: Some(code),
            ..CreateComponent::default()
        };
        let component: Component = self.client.post("/components", &new).await?;
        if component.kind == ComponentKind::Action {
            bail!(
                "{} is an action, which runs as a step of a workflow: try it with `sluice test {}`",
                component.name,
                self.file.display()
            );
        }
        let existing = if let Some(source) = self.source {
            Some(self.attached(source, &component).await?)
        } else {
            let path = format!("/sources/{}", own_slug(self.file)?);
            self.client.find(&path).await?
        };
        Ok(Beginning {
            component,
            existing,
        })
    }

    async fn attached(&self, source: &str, component: &Component) -> anyhow::Result<Source> {
        let named = Named {
            source: source.to_owned(),
        };
        let source = named.find(self.client).await?;
        let path = format!("/components/{}", source.component_id);
        let running: Component = self.client.get(&path).await?;
        if !is_same(&running, component) {
            bail!(
                "{} runs {}, and {} is {}: name another source, or leave --source out for a new one",
                source.name_slug,
                called(&running),
                self.file.display(),
                called(component)
            );
        }
        Ok(source)
    }

    /// Makes the source run the component, with props that are given, asked for, or there already.
    pub(super) async fn deploy(&self, beginning: &Beginning) -> anyhow::Result<Source> {
        let Beginning {
            component,
            existing,
        } = beginning;
        let props = &component.configurable_props;
        let had = existing.as_ref().map(|source| stored(props, source));
        let subject = Subject {
            component: component.id.to_string(),
            props: props.clone(),
            source: existing
                .as_ref()
                .map(|source| source.id.clone())
                .zip(had.clone()),
        };
        let form = Form::new(self.client, subject, self.props, self.is_for_programs)?;
        let name = own_slug(self.file)?;
        form.submit(async |filled| match existing {
            Some(source) => self.take_up(source, component, filled, had.as_ref()).await,
            None => self.make(&name, component, filled).await,
        })
        .await
    }

    async fn make(
        &self,
        name: &str,
        component: &Component,
        filled: Filled,
    ) -> Result<Source, ClientError> {
        let body = CreateSource {
            component_id: Some(component.id.to_string()),
            name: Some(name.to_owned()),
            configured_props: Some(filled.configured_props),
            dynamic_props_id: filled.dynamic_props_id,
            ..CreateSource::default()
        };
        self.client.post("/sources", &body).await
    }

    /// The server carries values over by itself, also those that nobody may see.
    async fn take_up(
        &self,
        source: &Source,
        component: &Component,
        filled: Filled,
        had: Option<&Map<String, Value>>,
    ) -> Result<Source, ClientError> {
        let is_changed = had != Some(&filled.configured_props);
        let body = UpdateSource {
            component_id: Some(component.id.to_string()),
            configured_props: is_changed.then_some(filled.configured_props),
            dynamic_props_id: filled.dynamic_props_id.filter(|_| is_changed),
            ..UpdateSource::default()
        };
        self.client.put(&path_of(source), &body).await
    }

    pub(super) async fn update(
        &self,
        source: &Source,
        code: String,
    ) -> Result<Source, ClientError> {
        let body = UpdateSource {
            component_code: Some(code),
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

/// Keys say which component it is; without one, names do.
fn is_same(one: &Component, other: &Component) -> bool {
    match (&one.key, &other.key) {
        (Some(one), Some(other)) => one == other,
        _ => one.name == other.name,
    }
}

fn called(component: &Component) -> String {
    match &component.key {
        Some(key) => format!("{} ({key})", component.name),
        None => component.name.clone(),
    }
}

/// A file has the same source each time, and two files have two, whatever they are called.
fn own_slug(file: &Path) -> anyhow::Result<String> {
    let path = file.canonicalize()?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let hash = code_hash(&path.to_string_lossy());
    Ok(format!("dev-{}-{}", slugify(&stem), &hash[..6]))
}
