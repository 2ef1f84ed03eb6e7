//! The wiring of the services.

use std::sync::Arc;

use sluice_engine::{Engine, EngineError};
use sluice_infra::Infra;
use sluice_runtime::Processes;

use crate::{
    accounts::{AccountProps, Accounts},
    actions::Actions,
    activity::Activity,
    agent_access::AgentAccess,
    api_keys::ApiKeys,
    apps::{self, Apps},
    audit::AuditLog,
    components::Components,
    data_stores::DataStores,
    flow::FlowMap,
    forms::Forms,
    health::Health,
    housekeeping,
    import::Imports,
    notifications::{Notifications, Notifier},
    oidc::Oidc,
    overview::Overviews,
    packages::{self, PackageSync, StoredArchives},
    saved_events::SavedEvents,
    saved_filters::SavedFilters,
    server_status::{self, ServerStatus},
    sessions::Sessions,
    sources::Sources,
    starter,
    subscriptions::Subscriptions,
    tools::Tools,
    traces::Traces,
    users::Users,
    webhooks::Webhooks,
    workflows::Workflows,
};

/// All services of one server.
#[derive(Clone)]
pub struct App {
    pub accounts: Accounts,
    pub actions: Actions,
    pub activity: Activity,
    pub agent_access: AgentAccess,
    pub api_keys: ApiKeys,
    pub apps: Apps,
    pub audit: AuditLog,
    pub components: Components,
    pub data_stores: DataStores,
    pub flow: FlowMap,
    pub forms: Forms,
    pub imports: Imports,
    pub notifications: Notifications,
    /// None without a provider in the settings.
    pub oidc: Option<Oidc>,
    pub overviews: Overviews,
    pub saved_events: SavedEvents,
    pub saved_filters: SavedFilters,
    pub server_status: ServerStatus,
    pub sessions: Sessions,
    pub sources: Sources,
    pub subscriptions: Subscriptions,
    pub tools: Tools,
    pub traces: Traces,
    pub users: Users,
    pub webhooks: Webhooks,
    pub workflows: Workflows,
}

impl App {
    pub fn new(
        infra: &Infra,
        engine: &Engine,
        processes: &Arc<dyn Processes>,
    ) -> Result<App, EngineError> {
        let credentials = &engine.credentials;
        let apps = Apps::new(infra, credentials.clone());
        let accounts = Accounts::new(infra, apps.clone(), credentials.clone());
        let account_props = AccountProps::new(infra, credentials.clone());
        let components = Components::new(infra, processes, engine)?;
        let forms = Forms::new(
            infra,
            processes,
            engine.quotas.clone(),
            components.clone(),
            account_props.clone(),
        );
        let webhooks = Webhooks::new(infra, engine.outbox.clone());
        let api_keys = ApiKeys::new(infra);
        let users = Users::new(
            infra,
            api_keys.clone(),
            webhooks.clone(),
            accounts.clone(),
            engine.streams.clone(),
        );
        let sessions = Sessions::new(infra, api_keys.clone());
        let health = Health::new(infra);
        let server_status = ServerStatus::new(infra, engine, processes);
        let actions = Actions::new(
            infra,
            engine,
            components.clone(),
            forms.clone(),
            account_props.clone(),
        );
        Ok(App {
            activity: Activity::new(infra),
            agent_access: AgentAccess::new(infra, api_keys.clone()),
            audit: AuditLog::new(infra),
            data_stores: DataStores::new(infra),
            flow: FlowMap::new(infra, health.clone()),
            imports: Imports::new(infra, processes, components.clone(), credentials.clone()),
            notifications: Notifications::new(infra, engine.outbox.clone()),
            overviews: Overviews::new(infra, health, server_status.clone()),
            oidc: Oidc::new(infra, &users, &sessions)?,
            saved_events: SavedEvents::new(infra),
            saved_filters: SavedFilters::new(infra),
            sessions,
            sources: Sources::new(
                infra,
                engine,
                components.clone(),
                account_props.clone(),
                forms.clone(),
            ),
            subscriptions: Subscriptions::new(infra),
            tools: Tools::new(
                infra,
                components.clone(),
                account_props.clone(),
                actions.clone(),
            ),
            traces: Traces::new(infra),
            workflows: Workflows::new(infra, engine, components.clone(), account_props),
            accounts,
            actions,
            api_keys,
            apps,
            components,
            forms,
            server_status,
            users,
            webhooks,
        })
    }

    /// Has processes use packages in the database when the registry cannot be reached. To be called before the engine starts,
    /// which may resume sources at once. On SQLite none are stored.
    pub fn use_stored_packages(infra: &Infra, processes: &dyn Processes) {
        if !infra.cluster.owns_database() {
            let archives = StoredArchives::new(infra.store.clone());
            processes.use_package_archives(Arc::new(archives));
        }
    }

    /// Starts notifications, the removal of expired rows and unused files, the exchange of packages with other nodes, and the update of apps
    /// from the catalogue. A shutdown stops them.
    pub fn start_housekeeping(infra: &Infra, engine: &Engine, processes: &Arc<dyn Processes>) {
        infra
            .shutdown
            .spawn(housekeeping::run(infra.clone(), engine.outbox.clone()));
        infra
            .shutdown
            .spawn(server_status::backlogs::run(infra.clone()));
        let notifier = Notifier::new(infra, engine.outbox.clone());
        infra.shutdown.spawn(notifier.run());
        let credentials = engine.credentials.clone();
        infra
            .shutdown
            .spawn(apps::refresh::run(infra.clone(), credentials));
        let removal = packages::remove_unused(infra.clone(), Arc::clone(processes));
        infra.shutdown.spawn(removal);
        let new_locks = engine.new_locks.clone();
        let sync = PackageSync::new(infra.clone(), Arc::clone(processes), new_locks);
        infra.shutdown.spawn(sync.run());
    }

    /// Registers the components that come with this program, in the background. A shutdown stops it.
    pub fn start_starter_set(infra: &Infra, imports: Imports) {
        infra.shutdown.spawn(starter::run(infra.clone(), imports));
    }
}
