//! `sluice update`

use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value};
use sluice_api::{Component, Source, UpdateSource};
use sluice_model::{PropDef, carried_over};

use super::{
    common::Common,
    component::{ComponentName, Reference},
    deploy::way_in,
    form::{Filled, Form, PropFlags, Subject},
    output::{GOOD, show, show_json, styled},
    progress::during,
    sources::Target,
};
use crate::{client::Client, exit::interruptible};

/// Change a source: its code, its name, its props, or whether it is active
///
/// What is not named stays as it is; props that new code has in addition are asked for.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateOptions {
    #[command(flatten)]
    target: Target,
    /// New code: a file, the key of a component, or an address
    #[arg(long, value_name = "FILE|KEY|URL")]
    code: Option<String>,
    /// New name; its slug changes with it
    #[arg(long)]
    name: Option<String>,
    /// Let it be triggered
    #[arg(long, conflicts_with = "deactivate")]
    activate: bool,
    /// Let nothing trigger it; its events stay
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
    options.require_something()?;
    let client = options.common.connection.client()?;
    let source = options.target.find(&client).await?;
    let path = format!("/sources/{}", source.id);
    let plain = UpdateSource {
        name: options.name.clone(),
        active: Some(options.activity(&source)),
        ..UpdateSource::default()
    };
    let changed = if options.changes_values() {
        with_values(&options, &client, source, &plain).await?
    } else {
        client.put(&path, &plain).await?
    };
    if options.common.json {
        show_json(&changed)?;
    } else {
        let heading = format!("{} {}\n", styled(GOOD, "Updated"), changed.name_slug);
        show(&format!("{heading}{}", way_in(&changed, client.url())))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A change of what the source runs or with which values: those that are missing then are asked for.
async fn with_values(
    options: &UpdateOptions,
    client: &Client,
    source: Source,
    plain: &UpdateSource,
) -> anyhow::Result<Source> {
    let path = format!("/sources/{}", source.id);
    let new_code = NewCode::of(options, client, &source).await?;
    let had = stored(&new_code.props, &source);
    let subject = Subject {
        component: new_code.id_or_key,
        source: Some((source.id, had.clone())),
        props: new_code.props,
    };
    let form = Form::new(client, subject, &options.props, options.common.json)?;
    form.submit(async |filled| {
        let Filled {
            configured_props,
            dynamic_props_id,
        } = filled;
        // The server carries values over by itself, also those that nobody may see.
        let is_changed = had != configured_props;
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
    fn require_something(&self) -> anyhow::Result<()> {
        let is_named = self.name.is_some() || self.activate || self.deactivate;
        if is_named || self.changes_values() {
            return Ok(());
        }
        anyhow::bail!(
            "name what to change: --code, --name, --prop, --activate or --deactivate (`sluice update --help` has examples)"
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

/// The code that the source will have.
struct NewCode {
    /// Empty when it stays.
    reference: Reference,
    id_or_key: String,
    props: Vec<PropDef>,
}

impl NewCode {
    async fn of(
        options: &UpdateOptions,
        client: &Client,
        source: &Source,
    ) -> anyhow::Result<NewCode> {
        if let Some(code) = &options.code {
            let known = ComponentName::parse(code).known(client).await?.source()?;
            return Ok(NewCode {
                reference: known.reference(),
                id_or_key: known.id_or_key(),
                props: known.component.configurable_props,
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

/// The values of the source that the props of its code have a place for, those aside that the server makes itself.
pub(crate) fn stored(props: &[PropDef], source: &Source) -> Map<String, Value> {
    let is_static = |name: &str| props.iter().any(|prop| prop.name == name);
    let made_by_server = |name: &str| {
        let mut named = props.iter().filter(|prop| prop.name == name);
        named.any(|prop| prop.prop_type.takes_no_value())
    };
    let has_dynamic = props
        .iter()
        .any(|prop| prop.declared().get("reloadProps").is_some());
    let mut values = if has_dynamic {
        // What is no prop of the code is one that its values bring.
        source.configured_props.clone()
    } else {
        carried_over(props, &source.configured_props)
    };
    values.retain(|name, _| !is_static(name) || !made_by_server(name));
    values
}
