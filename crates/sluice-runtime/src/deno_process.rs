//! A Deno process with loaded code. It has one tenant, or several sources that share it. Joining, leaving, messages and the end
//! have a file each.

mod control;
mod ending;
mod folder;
mod health;
mod joining;
mod leaving;
mod reading;
mod seats;
mod state;
mod tenant;
mod tenants;

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use parking_lot::Mutex;
use tokio::{io::AsyncWriteExt, net::unix::pipe::Sender, process::Child, sync::mpsc};
use tokio_util::sync::CancellationToken;

use self::{control::TenantHandle, ending::Supervised, tenant::Tenant, tenants::Tenants};
pub(crate) use self::{
    folder::{InstanceFolder, STASH},
    joining::Joined,
    seats::Seat,
    state::DenoProcess,
    tenant::NewTenant,
};
use crate::{
    broker::Broker,
    channel::Channel,
    lease::Lease,
    limits::Limits,
    output::Output,
    process::{Process, ProcessEvents},
    running::TenantMemory,
    sharing::Membership,
    tenant_number::TenantNumber,
    tmp_folder::TmpFolder,
    unstored::Room,
    watchdog::Watchdog,
};

/// The parts of a started process, before it is supervised.
pub(crate) struct StartedChild {
    pub(crate) child: Child,
    pub(crate) channel: Channel,
    pub(crate) output: Output,
    pub(crate) broker: Option<Broker>,
    pub(crate) folder: InstanceFolder,
    pub(crate) tmp: TmpFolder,
    pub(crate) watchdog: Watchdog,
}

/// What a process needs besides its parts.
pub(crate) struct ProcessSetup {
    pub(crate) limits: Limits,
    pub(crate) room: Room,
    pub(crate) memory: TenantMemory,
    pub(crate) membership: Option<Membership>,
    pub(crate) lease: Lease,
}

impl DenoProcess {
    /// Starts the tasks that write to the process, read from it and wait for its end. `tenant` has loaded its code.
    pub(crate) fn supervise(
        started: StartedChild,
        setup: ProcessSetup,
        tenant: NewTenant,
    ) -> (Arc<DenoProcess>, Process, ProcessEvents) {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let (lines, pending) = mpsc::unbounded_channel();
        let Channel {
            sender,
            lines: messages,
            key,
            ..
        } = started.channel;
        let (tenant, events) = Tenant::new(TenantNumber::FIRST, tenant, &setup.limits);
        let process = Arc::new(DenoProcess {
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            key,
            room: setup.room,
            tenants: Mutex::new(Tenants::of(Arc::clone(&tenant), setup.memory.count())),
            lines,
            kill: CancellationToken::new(),
            kill_cause: Mutex::default(),
            limits: setup.limits,
            memory: setup.memory,
            tmp: started.tmp,
            folder: started.folder,
            last_errors: started.output.tail(),
            reads: AtomicU64::new(0),
            membership: setup.membership,
            lease: setup.lease,
        });
        tokio::spawn(write_lines(sender, pending));
        let readers = [
            tokio::spawn(Arc::clone(&process).read_messages(messages)),
            tokio::spawn(Arc::clone(&process).read_output(started.output)),
        ];
        let supervised = Supervised::new(started.child, readers, started.watchdog, started.broker);
        tokio::spawn(Arc::clone(&process).wait_for_end(supervised));
        let handle = TenantHandle::new(Arc::clone(&process), tenant);
        (process, Process::new(handle), events)
    }
}

async fn write_lines(mut channel: Sender, mut pending: mpsc::UnboundedReceiver<String>) {
    while let Some(mut text) = pending.recv().await {
        while let Ok(more) = pending.try_recv() {
            text.push_str(&more);
        }
        if channel.write_all(text.as_bytes()).await.is_err() {
            return;
        }
    }
}
