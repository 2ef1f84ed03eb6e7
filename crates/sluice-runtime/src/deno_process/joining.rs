//! Loads the code of another tenant into a process.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::{
    control::TenantHandle,
    seats::Seat,
    state::DenoProcess,
    tenant::{Loaded, NewTenant, Tenant},
};
use crate::{
    load_message::{ModuleFiles, load_line},
    loading::{code_error, lay_out},
    process::{Process, ProcessEvents},
    spec::{LoadError, ProcessSpec, Role},
};

const ENDED: &str = "the process ended while another source was joining it";

/// The outcome of joining a process.
pub(crate) enum Joined {
    Yes(Process, ProcessEvents),
    /// The process has ended or is about to.
    Gone,
}

impl Seat {
    /// Loads the code of a source with one self-contained module.
    pub(crate) async fn join(
        self,
        spec: &ProcessSpec,
        new: NewTenant,
    ) -> Result<Joined, LoadError> {
        let process = Arc::clone(&self.process);
        let files = self.write_files(spec).await?;
        let limits = &process.limits;
        let (tenant, events, loaded) = Tenant::loading(self.number, new, limits);
        if !process.admit(&tenant) {
            return Ok(Joined::Gone);
        }
        let handle = Process::new(TenantHandle::new(Arc::clone(&process), tenant));
        let line = load_line(self.number, spec, Role::Component, &files, limits);
        let _ = process.lines.send(line);
        process.until_loaded(loaded).await?;
        Ok(Joined::Yes(handle, events))
    }

    async fn write_files(&self, spec: &ProcessSpec) -> Result<Vec<ModuleFiles>, LoadError> {
        let mut files = Vec::with_capacity(spec.modules.len());
        for module in &spec.modules {
            let name = format!("{}-{}", module.name, self.number);
            let folder = self.process.folder.module(&name);
            files.push(ModuleFiles {
                file: lay_out(&folder, &module.files).await?,
                folder,
                packages: None,
            });
        }
        Ok(files)
    }
}

impl DenoProcess {
    /// Returns false if the process ends or retires.
    fn admit(&self, tenant: &Arc<Tenant>) -> bool {
        let mut tenants = self.tenants.lock();
        if tenants.is_retiring() || self.kill.is_cancelled() {
            return false;
        }
        tenants.insert(Arc::clone(tenant));
        true
    }

    async fn until_loaded(&self, loaded: oneshot::Receiver<Loaded>) -> Result<(), LoadError> {
        let timeout = self.limits.load_timeout;
        tokio::select! {
            loaded = tokio::time::timeout(timeout, loaded) => match loaded {
                Ok(Ok(loaded)) => loaded,
                Ok(Err(_)) => Err(LoadError::Start(ENDED.to_owned())),
                Err(_) => Err(code_error(format!("loading took longer than {} s", timeout.as_secs()))),
            },
            () = self.kill.cancelled() => Err(LoadError::Start(ENDED.to_owned())),
        }
    }
}
