//! `sluice deploy`

mod registry;
mod script;

use std::{
    io::{self, IsTerminal},
    process::ExitCode,
};

use anyhow::bail;
use clap::Args;
use sluice_api::{CreateSource, Source, UpdateSource};

use self::script::ScriptArgs;
use super::{
    ask,
    common::Common,
    component::{ComponentName, SavedComponent},
    follow,
    form::{Form, FormValues, PropFlags, Subject},
    output::{show, show_json, show_stderr},
    progress::during,
    source_summary::deployed_summary,
};
use crate::{client::Client, exit::interruptible};

/// Deploy a component as a new source, and follow its events
///
/// A file is sent with its imports. On a terminal, the command asks for required props. Otherwise set them with --prop,
/// --props and --account. Without a component, the command searches the registry.
///
/// With --timer and --run, a plain script becomes a source. On each tick the script runs from its first line to its last,
/// and then the function that it exports, if any. `this.$emit` emits events.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct DeployOptions {
    /// Component: a file, a key of the registry, or the URL of a file
    #[arg(value_name = "FILE|KEY|URL", conflicts_with = "timer")]
    component: Option<String>,
    /// Name of the source [default: the name of the component]
    #[arg(long)]
    name: Option<String>,
    /// Deactivate the source after its hooks have run. Activate it with `sluice update --activate`
    #[arg(long)]
    inactive: bool,
    /// Follow the events even without a terminal [default: follow on a terminal]
    #[arg(long, conflicts_with = "no_follow")]
    follow: bool,
    /// Exit after the deployment
    #[arg(long)]
    no_follow: bool,
    #[command(flatten)]
    script: ScriptArgs,
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
    interruptible(deploy_and_follow(options)).await
}

async fn deploy_and_follow(options: DeployOptions) -> anyhow::Result<ExitCode> {
    let DeployOptions { common, .. } = &options;
    let client = common.connection.client()?;
    let saved = component(&options, &client).await?.require_source()?;
    let subject = Subject {
        component: saved.id_or_key(),
        props: saved.component.configurable_props.clone(),
        source: None,
    };
    let form = Form::new(&client, subject, &options.props, common.json)?;
    let source = form
        .submit(async |filled| {
            let FormValues {
                configured_props,
                dynamic_props_id,
            } = filled;
            let reference = saved.reference();
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
        show(&deployed_summary(&source, client.url()))?;
    }
    if options.is_followed() && source.active {
        show_stderr("\nFollowing events. Press Ctrl-C to stop; the source keeps running.\n")?;
        let events = follow::events(
            &client,
            &source.id,
            follow::Selection::default(),
            Some(follow::BEGINNING),
        )
        .await?;
        follow::show_events(events, follow::Format::new(common.json)).await?;
    }
    Ok(ExitCode::SUCCESS)
}

impl DeployOptions {
    fn is_followed(&self) -> bool {
        let is_watched = io::stdout().is_terminal() && !self.common.json;
        self.follow || (is_watched && !self.no_follow)
    }
}

async fn component(options: &DeployOptions, client: &Client) -> anyhow::Result<SavedComponent> {
    if options.script.is_given() {
        return options.script.resolve(client).await;
    }
    match &options.component {
        Some(text) => ComponentName::parse(text).resolve(client).await,
        None if ask::is_interactive(options.common.json) => {
            registry::pick(client).await?.resolve(client).await
        }
        None => bail!(
            "no component given: name a file, the key of a component, or a URL (see `sluice deploy --help`)"
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
