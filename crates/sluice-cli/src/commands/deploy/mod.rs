//! `sluice deploy`

mod registry;
mod script;
mod told;

use std::{
    io::{self, IsTerminal},
    process::ExitCode,
};

use anyhow::bail;
use clap::Args;
use sluice_api::{CreateSource, Source, UpdateSource};

use self::script::ScriptFlags;
pub(crate) use self::told::{deployed, way_in};
use super::{
    ask,
    common::Common,
    component::{ComponentName, Known},
    follow,
    form::{Filled, Form, PropFlags, Subject},
    output::{complain, show, show_json},
    progress::during,
};
use crate::{client::Client, exit::interruptible};

/// Deploy a component as a new source, and follow its events
///
/// A file is sent with the files that it imports. Props that have no value are asked for; in a pipe they are given with
/// --prop, --props and --account. Without a component, the registry is searched.
///
/// With --timer and --run a plain script becomes a source: it runs from its first line to its last on each tick, and then
/// the function that it exports, if it exports one. `this.$emit` emits events.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct DeployOptions {
    /// File, key of the registry, or address of a file
    #[arg(value_name = "FILE|KEY|URL", conflicts_with = "timer")]
    component: Option<String>,
    /// Name of the source [default: that of the component]
    #[arg(long)]
    name: Option<String>,
    /// Leave it inactive: its hooks have run, but nothing triggers it until `sluice update --activate`
    #[arg(long)]
    inactive: bool,
    /// Follow its events even when nobody is at the terminal
    #[arg(long, conflicts_with = "no_follow")]
    follow: bool,
    /// Come back when it is deployed
    #[arg(long)]
    no_follow: bool,
    #[command(flatten)]
    script: ScriptFlags,
    #[command(flatten)]
    props: PropFlags,
    #[command(flatten)]
    common: Common,
}

const EXAMPLES: &str = "\
Examples:
  sluice deploy hello.mjs
  sluice deploy github-new-issue --account github=work --prop repo=acme/things
  sluice deploy https://github.com/acme/things/blob/main/source.mjs --no-follow
  sluice deploy --timer --frequency 15m --run check.js";

pub(crate) async fn deploy(options: DeployOptions) -> anyhow::Result<ExitCode> {
    interruptible(make_and_follow(options)).await
}

async fn make_and_follow(options: DeployOptions) -> anyhow::Result<ExitCode> {
    let DeployOptions { common, .. } = &options;
    let client = common.connection.client()?;
    let known = component(&options, &client).await?.source()?;
    let subject = Subject {
        component: known.id_or_key(),
        props: known.component.configurable_props.clone(),
        source: None,
    };
    let form = Form::new(&client, subject, &options.props, common.json)?;
    let source = form
        .submit(async |filled| {
            let Filled {
                configured_props,
                dynamic_props_id,
            } = filled;
            let reference = known.reference();
            let new = CreateSource {
                component_id: reference.component_id,
                key: reference.key,
                name: options.name.clone(),
                configured_props: Some(configured_props),
                dynamic_props_id,
                ..CreateSource::default()
            };
            during("Deploying", client.post::<Source>("/sources", &new)).await
        })
        .await?;
    let source = if options.inactive {
        deactivated(&client, source).await?
    } else {
        source
    };
    if common.json {
        show_json(&source)?;
    } else {
        show(&deployed(&source, client.url()))?;
    }
    if options.is_followed() && source.active {
        complain("\nIts events, as they come (Ctrl-C ends this, the source stays):\n")?;
        let events = follow::events(&client, &source.id, None, Some(follow::BEGINNING)).await?;
        follow::show_events(events, follow::Form::new(common.json)).await?;
    }
    Ok(ExitCode::SUCCESS)
}

impl DeployOptions {
    fn is_followed(&self) -> bool {
        let is_watched = io::stdout().is_terminal() && !self.common.json;
        self.follow || (is_watched && !self.no_follow)
    }
}

async fn component(options: &DeployOptions, client: &Client) -> anyhow::Result<Known> {
    if options.script.is_given() {
        return options.script.known(client).await;
    }
    match &options.component {
        Some(text) => ComponentName::parse(text).known(client).await,
        None if ask::is_possible(options.common.json) => {
            registry::pick(client).await?.known(client).await
        }
        None => bail!(
            "name what to deploy: a file, the key of a component, or an address (`sluice deploy --help` has examples)"
        ),
    }
}

async fn deactivated(client: &Client, source: Source) -> anyhow::Result<Source> {
    let body = UpdateSource {
        active: Some(false),
        ..UpdateSource::default()
    };
    Ok(client
        .put(&format!("/sources/{}", source.id), &body)
        .await?)
}
