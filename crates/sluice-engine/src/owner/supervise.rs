//! Starting owners under supervision: an owner that panics is unregistered and replaced by one that reads the store.

use std::{sync::Arc, time::Duration};

use sluice_infra::{Exit, Supervisor};
use tokio::sync::mpsc;

use super::{
    handle::Owner,
    registry::{NewOwner, Owners},
    services::Services,
    source, workflow,
};

/// Pause before a panicked owner is replaced.
const RESTART_PAUSE: Duration = Duration::from_secs(1);

/// Starts the owners that the registry creates.
pub(crate) async fn start_owners(
    services: Services,
    owners: Owners,
    supervisor: Supervisor,
    mut new_owners: mpsc::UnboundedReceiver<NewOwner>,
) {
    while let Some(new) = new_owners.recv().await {
        let services = services.clone();
        match new {
            NewOwner::Source(handle, controls) => {
                let on_exit = on_exit(&services, &owners, Owner::Source(Arc::clone(&handle)));
                let id = handle.id.clone();
                let task = source::run(services, handle, controls);
                supervisor.spawn("source", id, task, on_exit);
            }
            NewOwner::Workflow(handle, controls) => {
                let on_exit = on_exit(&services, &owners, Owner::Workflow(Arc::clone(&handle)));
                let id = handle.id.clone();
                let task = workflow::run(services, handle, controls);
                supervisor.spawn("workflow", id, task, on_exit);
            }
        }
    }
}

fn on_exit(
    services: &Services,
    owners: &Owners,
    owner: Owner,
) -> impl FnOnce(Exit) + Send + 'static {
    let (owners, permits) = (owners.clone(), services.permits.clone());
    let claims = services.claims.clone();
    let shutdown = services.infra.shutdown.clone();
    move |exit| {
        owner.mailbox().close();
        permits.busy(owner.id());
        owners.unregister(&owner);
        if exit == Exit::Panicked {
            // Its last commit may still be in progress.
            claims.forget(owner.id());
            shutdown.clone().spawn(async move {
                shutdown.sleep(RESTART_PAUSE).await;
                if !shutdown.is_draining() {
                    owners.wake(owner.id());
                }
            });
        }
    }
}
