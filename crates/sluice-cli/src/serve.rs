//! `sluice serve`: starts the parts of the server, and stops them on a signal.

mod certificate_reload;
mod certificates;
mod cluster;
mod database;
mod deno;
mod first_key;
pub(crate) mod master_key;
mod operator_email;
mod preparation;
mod stop_signal;

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use bytesize::ByteSize;
use sluice_app::{App, FirstUser};
use sluice_cluster::NodeClock;
use sluice_engine::Engine;
use sluice_infra::{Ids, Infra, SettingDescription};
use sluice_model::Clock;
use sluice_runtime::{
    AccountLimits, ControlGroupOptions, DenoPermissions, Processes, Runtime, RuntimeOptions,
};
use sluice_server::{Listeners, ServerState};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use self::{
    certificate_reload::reload_on_hangup,
    cluster::{Introduction, Membership},
    first_key::Origin,
    master_key::MasterKeySource,
    preparation::{Prepared, prepare},
    stop_signal::{StopSignal, stop_signal},
};
use crate::{
    data_folder::DataFolder,
    logging, open_files,
    options::{ServeOptions, effective::set_value},
    version,
};

pub(crate) fn serve(options: ServeOptions, told: Vec<SettingDescription>) -> anyhow::Result<()> {
    let cluster = &options.cluster;
    let node = options.storage.is_shared().then(|| cluster.node_name());
    logging::start(&options.logging, node.as_deref())?;
    open_files::raise_limit();
    // One TLS provider for the process. The error only means that one is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the async runtime")?;
    runtime.block_on(run(options, told))
}

async fn run(options: ServeOptions, mut told: Vec<SettingDescription>) -> anyhow::Result<()> {
    let given_key = first_key::given(&options)?;
    let oidc = options.oidc.settings()?;
    certificates::check()?;
    let data_folder = DataFolder::open(&options.storage.place.data_dir)?;
    data_folder.require_complete()?;
    let data_dir = data_folder.path().to_owned();
    let node_clock = NodeClock::default();
    let clock: Arc<dyn Clock> = Arc::new(node_clock.clone());
    let ids = Ids::from_entropy(Arc::clone(&clock));
    let master_key = MasterKeySource::find(options.keys.master_key.as_deref(), &data_dir)?;
    let tls = options.network.tls()?;
    reload_on_hangup(tls.clone())?;
    let listener = sluice_server::listen(&options.network.listen)
        .await
        .with_context(|| format!("cannot listen on {}", options.network.listen))?;
    let address = listener.local_addr()?;
    let urls = Urls::new(&options, address, tls.is_some());
    let prepared = prepare(&options, &data_dir, &ids, &listener, tls.as_ref()).await?;
    let Some(Prepared {
        store,
        deno,
        operator_email,
    }) = prepared
    else {
        return Ok(());
    };
    let vault = master_key.open(&store, &ids).await?;
    let listen = ("--listen", address.to_string());
    let folder = ("--data-dir", data_dir.display().to_string());
    let computed = [listen, folder, ("--public-url", urls.public.clone())];
    for (name, value) in computed.into_iter().chain(limits(&options)) {
        set_value(&mut told, name, value);
    }
    let settings = options.settings(urls.public.clone(), data_dir.clone(), told, oidc);
    let processes =
        component_runtime(&options, deno, &data_dir, address, Arc::clone(&clock)).await?;
    let introduction = Introduction {
        public_url: &urls.public,
        data_dir: &data_dir,
        now_ms: clock.now_ms(),
    };
    let Membership {
        cluster,
        listener: node_listener,
    } = cluster::join(&options.cluster, &store, &vault, introduction).await?;
    node_clock.follow(cluster.database_time());
    let mut infra = Infra::new(store.clone(), cluster.clone(), vault, clock, ids, settings);
    infra.traces = options
        .tracing
        .start(&infra, &options.cluster.node_name())?;
    let (commit, date) = version::commit();
    infra
        .metrics
        .set_build(env!("CARGO_PKG_VERSION"), commit, date);
    processes.warm_up();
    let processes: Arc<dyn Processes> = Arc::new(processes);
    App::use_stored_packages(&infra, &*processes);
    let engine = Engine::start(&infra, &processes).await?;
    let app = App::new(&infra, &engine, &processes)?;
    App::start_housekeeping(&infra, &engine, &processes);
    let origin = given_key
        .as_ref()
        .map_or(Origin::Generated, |_| Origin::Given);
    let created = app.users.ensure_first(given_key, operator_email).await?;
    operator_email::warn_of_placeholder(&infra, &app.users).await?;
    tracing::info!("listening on {}", urls.own);
    if let FirstUser::Created(key) = created {
        first_key::announce((&urls.public, urls.local()), &key, origin, &data_dir);
    }
    let stopping = CancellationToken::new();
    let listeners = Listeners {
        clients: listener,
        tls,
        nodes: node_listener,
    };
    let imports = app.imports.clone();
    let server = tokio::spawn(sluice_server::serve(
        listeners,
        ServerState::new(app, &infra, &engine),
        stopping.clone(),
    ));
    if !options.components.no_starter {
        App::start_starter_set(&infra, imports);
    }
    let signal = stop_signal(server_ended(&server)).await?;
    cluster.drain();
    wait_for_balancer(signal, options.cluster.drain_grace).await;
    tracing::info!("stopping; waiting for running invocations");
    stopping.cancel();
    end(&engine, &infra, options.components.drain_timeout, server).await;
    tokio::task::spawn_blocking(move || store.close()).await?;
    drop(data_folder);
    tracing::info!("stopped");
    Ok(())
}

/// The addresses of this server.
struct Urls {
    /// With the port that it listens on.
    own: String,
    public: String,
    is_tls: bool,
}

impl Urls {
    fn new(options: &ServeOptions, address: SocketAddr, is_tls: bool) -> Urls {
        let scheme = if is_tls { "https" } else { "http" };
        let own = format!("{scheme}://{}", reachable(address));
        let public = options.network.public_url.as_deref().unwrap_or(&own);
        Urls {
            public: public.trim_end_matches('/').to_owned(),
            own,
            is_tls,
        }
    }

    /// For clients on this machine. A certificate is for the name of the public URL.
    fn local(&self) -> &str {
        if self.is_tls { &self.public } else { &self.own }
    }
}

/// Limits that depend on the machine or on each other.
fn limits(options: &ServeOptions) -> [(&'static str, String); 3] {
    let quotas = &options.quotas;
    let max_processes = quotas.max_processes(options.components.max_processes);
    let budget = options.components.memory_budget();
    let max_memory = ByteSize(quotas.max_memory(budget));
    [
        ("--memory-budget", ByteSize(budget).to_string()),
        ("--max-processes-per-account", max_processes.to_string()),
        ("--max-memory-per-account", max_memory.to_string()),
    ]
}

/// Ends running work and the server, and leaves the rest to other nodes.
async fn end(
    engine: &Engine,
    infra: &Infra,
    drain_timeout: Duration,
    server: JoinHandle<std::io::Result<()>>,
) {
    engine.release_idle(infra).await;
    let drained = sluice_engine::drain(infra, drain_timeout);
    let closed = tokio::time::timeout(drain_timeout, server);
    let (closed, ()) = tokio::join!(closed, drained);
    if let Ok(Ok(Err(error))) = closed {
        tracing::warn!(%error, "listener closed with an error");
    }
    leave(engine, infra).await;
    infra.traces.stop().await;
}

/// Takes requests for a while, in which a load balancer can choose another server.
async fn wait_for_balancer(signal: StopSignal, grace: Duration) {
    if signal == StopSignal::Terminate && !grace.is_zero() {
        tracing::info!(?grace, "out of service; still taking requests");
        tokio::time::sleep(grace).await;
    }
}

/// Leaves everything to the other nodes, which go on with it at once.
async fn leave(engine: &Engine, infra: &Infra) {
    if let Err(error) = engine.outbox.release().await {
        tracing::warn!(%error, "queues of the outbox not released");
    }
    if let Err(error) = infra.cluster.leave(&infra.store).await {
        tracing::warn!(%error, "the end of this server could not be recorded");
    }
}

async fn component_runtime(
    options: &ServeOptions,
    deno: PathBuf,
    data_dir: &Path,
    own_address: SocketAddr,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<Runtime> {
    let runtime_options = RuntimeOptions {
        deno,
        launcher: std::env::current_exe().context("cannot find the path of this program")?,
        folder: data_dir.join("runtime"),
        limits: options.components.limits(),
        unstored_per_user: options.quotas.max_unstored(),
        network: options.network.for_components(own_address)?,
        deno_permissions: deno_permissions(),
        users: options.components.component_uids,
        control_groups: control_groups(options),
        starting_at_once: std::thread::available_parallelism().map_or(2, usize::from),
        warm_processes: options.components.warm_processes,
        isolation: options.components.isolation(),
        packages: options
            .packages
            .settings(options.quotas.max_installs_per_account),
    };
    tokio::task::spawn_blocking(move || Runtime::new(runtime_options, clock))
        .await?
        .context("cannot prepare the component runtime")
}

fn control_groups(options: &ServeOptions) -> Option<ControlGroupOptions> {
    let (components, quotas) = (&options.components, &options.quotas);
    let place = components.control_group.0.clone()?;
    // Beyond its quota an account gets no further processes, and one that runs may still grow to its own limit.
    let quota = quotas.max_memory(components.memory_budget());
    let limits = AccountLimits {
        memory_bytes: quota.saturating_add(components.max_memory.as_u64()),
        processes: quotas.max_processes(components.max_processes),
    };
    Some(ControlGroupOptions { place, limits })
}

/// Tests of the kernel's protections switch off those of Deno. A release ignores it.
fn deno_permissions() -> DenoPermissions {
    let setting = std::env::var_os("SLUICE_TEST_DENO_PERMISSIONS");
    if cfg!(debug_assertions) && setting.is_some_and(|setting| setting == "off") {
        return DenoPermissions::Off;
    }
    DenoPermissions::Checked
}

/// The address for clients on this machine: an unspecified address becomes loopback.
fn reachable(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => (Ipv4Addr::LOCALHOST, address.port()).into(),
        IpAddr::V6(ip) if ip.is_unspecified() => (Ipv6Addr::LOCALHOST, address.port()).into(),
        IpAddr::V4(_) | IpAddr::V6(_) => address,
    }
}

async fn server_ended(server: &JoinHandle<std::io::Result<()>>) {
    while !server.is_finished() {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}
