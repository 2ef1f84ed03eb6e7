//! `sluice update`

use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value};
use sluice_api::{Component, Source, UpdateSource};
use sluice_model::{PropDef, carried_over};

use super::{
    common::Common,
    component::{ComponentName, Reference},
    form::{Form, FormValues, PropFlags, Subject},
    output::{GOOD, show, show_json, styled},
    progress::during,
    source_summary::source_fields,
    sources::Target,
};
use crate::{client::Client, exit::interruptible};

/// Change the code, name, props or state of a source
///
/// Everything else stays as it is. On a terminal, the command asks for new required props.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateOptions {
    #[command(flatten)]
    target: Target,
    /// New code: a file, the key of a component, or a URL
    #[arg(long, value_name = "FILE|KEY|URL")]
    code: Option<String>,
    /// New name. The slug changes too
    #[arg(long)]
    name: Option<String>,
    /// Activate the source
    #[arg(long, conflicts_with = "deactivate")]
    activate: bool,
    /// Deactivate the source. Its events are kept
    #[arg(long)]
    deactivate: bool,
    #[command(flatten)]
    props: PropFlags,
    #[command(flatten)]
    common: Common,
}

const EXAMPLES: &str = "\
Examples:
  sluice update hello --code hello.mjs
  sluice update hello --prop greeting=Hi
  sluice update hello --deactivate";

pub(crate) async fn update(options: UpdateOptions) -> anyhow::Result<ExitCode> {
    interruptible(change(options)).await
}

async fn change(options: UpdateOptions) -> anyhow::Result<ExitCode> {
    options.require_change()?;
    let client = options.common.connection.client()?;
    let source = options.target.find(&client).await?;
    let path = format!("/sources/{}", source.id);
    let plain = UpdateSource {
        name: options.name.clone(),
        active: Some(options.activity(&source)),
        ..UpdateSource::default()
    };
    let changed = if options.changes_values() {
        update_values(&options, &client, source, &plain).await?
    } else {
        client.put(&path, &plain).await?
    };
    if options.common.json {
        show_json(&changed)?;
    } else {
        let heading = format!("{} {}\n", styled(GOOD, "Updated"), changed.name_slug);
        show(&format!(
            "{heading}{}",
            source_fields(&changed, client.url())
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Changes the code or the props. Missing values are asked for.
async fn update_values(
    options: &UpdateOptions,
    client: &Client,
    source: Source,
    plain: &UpdateSource,
) -> anyhow::Result<Source> {
    let path = format!("/sources/{}", source.id);
    let new_code = NewCode::resolve(options, client, &source).await?;
    let previous = stored(&new_code.props, &source);
    let subject = Subject {
        component: new_code.id_or_key,
        source: Some((source.id, previous.clone())),
        props: new_code.props,
    };
    let form = Form::new(client, subject, &options.props, options.common.json)?;
    form.submit(async |filled| {
        let FormValues {
            configured_props,
            dynamic_props_id,
        } = filled;
        // Unchanged values are not sent: the server keeps them, including secrets that it does not show.
        let is_changed = previous != configured_props;
        let reference = new_code.reference.clone();
        let body = UpdateSource {
            component_id: reference.component_id,
            key: reference.key,
            configured_props: is_changed.then_some(configured_props),
            dynamic_props_id: dynamic_props_id.filter(|_| is_changed),
            ..plain.clone()
        };
        during("Updating", client.put::<Source>(&path, &body)).await
    })
    .await
}

impl UpdateOptions {
    fn require_change(&self) -> anyhow::Result<()> {
        let is_named = self.name.is_some() || self.activate || self.deactivate;
        if is_named || self.changes_values() {
            return Ok(());
        }
        anyhow::bail!(
            "nothing to change: use --code, --name, --prop, --activate or --deactivate (see `sluice update --help`)"
        )
    }

    fn changes_values(&self) -> bool {
        self.code.is_some() || !self.props.is_empty() || self.props.prompt_all
    }

    fn activity(&self, source: &Source) -> bool {
        if self.activate || self.deactivate {
            self.activate
        } else {
            source.active
        }
    }
}

/// The code of the source after the update.
struct NewCode {
    /// Empty when the code stays the same.
    reference: Reference,
    id_or_key: String,
    props: Vec<PropDef>,
}

impl NewCode {
    async fn resolve(
        options: &UpdateOptions,
        client: &Client,
        source: &Source,
    ) -> anyhow::Result<NewCode> {
        if let Some(code) = &options.code {
            let saved = ComponentName::parse(code)
                .resolve(client)
                .await?
                .require_source()?;
            return Ok(NewCode {
                reference: saved.reference(),
                id_or_key: saved.id_or_key(),
                props: saved.component.configurable_props,
            });
        }
        let id_or_key = source.component_id.to_string();
        let component: Component = client.get(&format!("/components/{id_or_key}")).await?;
        Ok(NewCode {
            reference: Reference::default(),
            id_or_key,
            props: component.configurable_props,
        })
    }
}

/// The stored values of a source for these props, without those that the server generates.
pub(crate) fn stored(props: &[PropDef], source: &Source) -> Map<String, Value> {
    let is_static = |name: &str| props.iter().any(|prop| prop.name == name);
    let is_generated = |name: &str| {
        let mut named = props.iter().filter(|prop| prop.name == name);
        named.any(|prop| prop.prop_type.takes_no_value())
    };
    let has_dynamic = props
        .iter()
        .any(|prop| prop.declared().get("reloadProps").is_some());
    let mut values = if has_dynamic {
        // Values of undeclared props belong to dynamic props.
        source.configured_props.clone()
    } else {
        carried_over(props, &source.configured_props)
    };
    values.retain(|name, _| !is_static(name) || !is_generated(name));
    values
}
