//! The handle to a tenant.

use std::{sync::Arc, time::Instant};

use serde_json::{Map, Value};

use super::{state::DenoProcess, tenant::Tenant};
use crate::{
    ask::{Answers, pipe_answers},
    outcome::Invocation,
    process::{ProcessControl, SharedPlace},
    protocol,
    tmp_folder::TmpFolder,
};

pub(super) struct TenantHandle {
    process: Arc<DenoProcess>,
    tenant: Arc<Tenant>,
}

impl TenantHandle {
    pub(super) fn new(process: Arc<DenoProcess>, tenant: Arc<Tenant>) -> TenantHandle {
        TenantHandle { process, tenant }
    }
}

impl ProcessControl for TenantHandle {
    /// A tenant that is about to leave gets none. Its owner runs them again after its exit.
    fn invoke(&self, invocations: &[Invocation]) {
        let mut text = String::with_capacity(invocations.iter().map(|i| i.event.len() + 128).sum());
        let mut inflight = self.tenant.inflight.lock();
        if inflight.is_closed() {
            return;
        }
        let now = Instant::now();
        for invocation in invocations {
            let allowance = invocation.timeout + self.process.limits.grace;
            inflight.begin(invocation.id, invocation.call, now, allowance);
            protocol::run_line(self.tenant.number, invocation, &mut text);
        }
        // Within the lock, so that it comes before the line that removes the tenant.
        let _ = self.process.lines.send(text);
    }

    fn answers(&self) -> Answers {
        pipe_answers(
            self.process.lines.clone(),
            self.tenant.pending_answers.clone(),
        )
    }

    fn authorize(&self, module: &str, auths: &Map<String, Value>) {
        let line = protocol::auth_line(self.tenant.number, module, auths);
        let _ = self.process.lines.send(line);
    }

    fn tmp(&self) -> TmpFolder {
        self.process.tmp.clone()
    }

    fn place(&self) -> Option<SharedPlace> {
        Some(SharedPlace {
            process: self.process.number,
            tenants: self.process.memory.count(),
        })
    }

    fn leave(&self) {
        self.process.leave(&self.tenant);
    }

    fn kill(&self) {
        self.process.kill_tenant(&self.tenant);
    }
}
