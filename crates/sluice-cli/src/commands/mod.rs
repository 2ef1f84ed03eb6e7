//! The commands, except for `serve` and those for the data of a server. All but `test`, `init`, `import`, `doctor` and
//! `completions` are clients of the API.

mod accounts;
mod actions;
mod apply;
mod apps;
mod ask;
mod audit;
mod close_keys;
mod cluster;
mod code;
mod common;
mod completions;
mod component;
mod deletion;
mod deploy;
mod dev;
mod doctor;
mod error_location;
mod event_arg;
mod export;
mod follow;
mod form;
mod import;
mod init;
mod keys;
mod list;
mod mcp;
mod notifications;
mod operator_only;
mod output;
mod progress;
mod prompt;
mod prop_args;
mod prop_text;
mod publish;
mod registry;
mod sample_event;
mod search;
pub(crate) mod secret_file;
mod secrets;
mod session;
mod sessions;
mod snapshot;
mod source_summary;
mod sources;
mod subscribe;
mod test;
mod time_arg;
mod tools;
mod trace;
mod unpublish;
mod update;
mod users;
mod webhooks;
mod workflow_files;
mod workflows;
mod yaml;

use std::{io, process::ExitCode};

use anyhow::Context;
use clap::Subcommand;

use self::{
    accounts::AccountsOptions,
    actions::ActionsCommand,
    apply::ApplyOptions,
    apps::AppsCommand,
    audit::AuditOptions,
    cluster::ClusterOptions,
    completions::CompletionsOptions,
    deploy::DeployOptions,
    dev::DevOptions,
    doctor::DoctorOptions,
    export::ExportOptions,
    import::ImportCommand,
    init::InitOptions,
    keys::KeysCommand,
    list::ListOptions,
    mcp::McpOptions,
    notifications::NotificationsCommand,
    publish::PublishOptions,
    registry::RegistryCommand,
    session::{
        LoginOptions, LogoutOptions, ProfileCommand, RotateKeyOptions, SignupOptions, WhoamiOptions,
    },
    sessions::SessionsCommand,
    sources::{
        DeleteOptions, DescribeOptions, EventsOptions, LogsOptions, RollbackOptions, RunOptions,
        VersionsOptions,
    },
    subscribe::{SubscribeOptions, UnsubscribeOptions},
    test::TestOptions,
    tools::ToolsCommand,
    trace::TraceOptions,
    unpublish::UnpublishOptions,
    update::UpdateOptions,
    users::UsersCommand,
    webhooks::WebhooksCommand,
    workflows::WorkflowsCommand,
};

#[derive(Subcommand)]
pub(crate) enum ClientCommand {
    Deploy(Box<DeployOptions>),
    Update(Box<UpdateOptions>),
    /// Deploy, run and manage workflows
    #[command(subcommand)]
    Workflows(WorkflowsCommand),
    /// Run single actions, and list their runs
    #[command(subcommand)]
    Actions(ActionsCommand),
    /// Choose the actions that AI agents and other programs may run
    #[command(subcommand)]
    Tools(ToolsCommand),
    Mcp(McpOptions),
    Export(ExportOptions),
    Apply(ApplyOptions),
    /// Import an account of another service into a folder
    #[command(subcommand)]
    Import(ImportCommand),
    Dev(DevOptions),
    Init(InitOptions),
    Test(TestOptions),
    Run(RunOptions),
    Publish(PublishOptions),
    Unpublish(UnpublishOptions),
    List(ListOptions),
    Describe(DescribeOptions),
    Events(EventsOptions),
    Logs(LogsOptions),
    Versions(VersionsOptions),
    Rollback(RollbackOptions),
    Trace(TraceOptions),
    Whoami(WhoamiOptions),
    Delete(DeleteOptions),
    Accounts(AccountsOptions),
    /// Browse the apps of the server, and set up OAuth clients
    #[command(subcommand)]
    Apps(AppsCommand),
    /// Manage webhooks
    #[command(subcommand)]
    Webhooks(WebhooksCommand),
    /// Manage notifications of failures
    #[command(subcommand)]
    Notifications(NotificationsCommand),
    Subscribe(SubscribeOptions),
    Unsubscribe(UnsubscribeOptions),
    Login(LoginOptions),
    Logout(LogoutOptions),
    /// Switch between the profiles of the configuration file
    #[command(subcommand)]
    Profile(ProfileCommand),
    RotateKey(RotateKeyOptions),
    Signup(SignupOptions),
    /// Manage named API keys, and rotate the master key
    #[command(subcommand)]
    Keys(KeysCommand),
    /// List and end your sessions of the console
    #[command(subcommand)]
    Sessions(SessionsCommand),
    /// Manage the users of the server (operator only)
    #[command(subcommand)]
    Users(UsersCommand),
    Audit(AuditOptions),
    Cluster(ClusterOptions),
    Doctor(DoctorOptions),
    Completions(CompletionsOptions),
    /// Manage the registry of the server (operator only)
    #[command(subcommand)]
    Registry(RegistryCommand),
}

/// Runs a command. `parser` creates the parser of the whole command line, for completions.
pub(crate) fn run(
    command: ClientCommand,
    parser: fn() -> clap::Command,
) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the async runtime")?;
    let outcome = runtime.block_on(async {
        match command {
            ClientCommand::Deploy(options) => deploy::deploy(*options).await,
            ClientCommand::Update(options) => update::update(*options).await,
            ClientCommand::Workflows(command) => workflows::run(command).await,
            ClientCommand::Actions(command) => actions::run(command).await,
            ClientCommand::Tools(command) => done(tools::run(command).await),
            ClientCommand::Mcp(options) => done(mcp::mcp(options).await),
            ClientCommand::Export(options) => export::export(options).await,
            ClientCommand::Apply(options) => apply::apply(options).await,
            ClientCommand::Import(command) => import::run(command).await,
            ClientCommand::Dev(options) => dev::dev(options).await,
            ClientCommand::Init(options) => init::init(&options).await,
            ClientCommand::Test(options) => test::test(options).await,
            ClientCommand::Publish(options) => publish::publish(options).await,
            ClientCommand::Run(options) => done(sources::run(options).await),
            ClientCommand::Unpublish(options) => done(unpublish::unpublish(options).await),
            ClientCommand::List(options) => done(list::list(options).await),
            ClientCommand::Describe(options) => done(sources::describe(options).await),
            ClientCommand::Events(options) => done(sources::events(options).await),
            ClientCommand::Logs(options) => done(sources::logs(options).await),
            ClientCommand::Versions(options) => done(sources::versions(options).await),
            ClientCommand::Rollback(options) => done(sources::rollback(options).await),
            ClientCommand::Trace(options) => done(trace::trace(options).await),
            ClientCommand::Whoami(options) => done(session::whoami(options).await),
            ClientCommand::Delete(options) => done(sources::delete(options).await),
            ClientCommand::Accounts(options) => done(accounts::run(options).await),
            ClientCommand::Apps(command) => done(apps::run(command).await),
            ClientCommand::Webhooks(command) => done(webhooks::run(command).await),
            ClientCommand::Notifications(command) => done(notifications::run(command).await),
            ClientCommand::Subscribe(options) => done(subscribe::subscribe(options).await),
            ClientCommand::Unsubscribe(options) => done(subscribe::unsubscribe(options).await),
            ClientCommand::Login(options) => done(session::login(options).await),
            ClientCommand::Logout(options) => done(session::logout(&options)),
            ClientCommand::Profile(command) => done(session::profile(command)),
            ClientCommand::RotateKey(options) => done(session::rotate_key(options).await),
            ClientCommand::Signup(options) => done(session::signup(options).await),
            ClientCommand::Keys(command) => done(keys::run(command).await),
            ClientCommand::Sessions(command) => done(sessions::run(command).await),
            ClientCommand::Users(command) => done(users::run(command).await),
            ClientCommand::Audit(options) => done(audit::audit(options).await),
            ClientCommand::Cluster(options) => done(cluster::cluster(options).await),
            ClientCommand::Doctor(options) => doctor::doctor(&options),
            ClientCommand::Completions(options) => {
                done(completions::completions(&options, &parser()))
            }
            ClientCommand::Registry(command) => registry::run(command).await,
        }
    });
    outcome.or_else(|error| {
        if is_closed_pipe(&error) {
            Ok(ExitCode::SUCCESS)
        } else {
            Err(error)
        }
    })
}

fn done(outcome: anyhow::Result<()>) -> anyhow::Result<ExitCode> {
    outcome.map(|()| ExitCode::SUCCESS)
}

/// Whether the reader of the output has closed the pipe, as `head` does.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
