//! State that all parts of the runtime share, and the start of a child process.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use sluice_model::Clock;
use tokio::process::Child;

use crate::{
    accounts::Accounts,
    analysis_cache::AnalysisCache,
    channel::Channel,
    code_cache_filling,
    component_users::ComponentUsers,
    deno_process::{InstanceFolder, StartedChild},
    fair_permits::FairPermits,
    memory::MemoryInUse,
    options::RuntimeOptions,
    output::Output,
    packages::Packages,
    pool::Pool,
    preload::Preload,
    report_limits::longest_line,
    running::RunningProcesses,
    sandbox::{Sandbox, SandboxedChild},
    sharing::Sharing,
    tmp_folder::TmpFolder,
    trees::Remover,
    unstored::Unstored,
    watchdog::Watchdog,
};

pub(crate) struct Inner {
    pub(crate) options: RuntimeOptions,
    pub(crate) sandbox: Arc<Sandbox>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) packages: Packages,
    pub(crate) pool: Arc<Pool>,
    pub(crate) analyses: AnalysisCache,
    /// Permits for processes that are starting.
    pub(crate) starting: FairPermits,
    /// Permits for questions and analyses. Their processes do not count as those of sources.
    pub(crate) questions: FairPermits,
    /// Permits for processes that survey components.
    pub(crate) surveys: FairPermits,
    pub(crate) instances: AtomicU64,
    pub(crate) remover: Remover,
    pub(crate) memory: MemoryInUse,
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) running: RunningProcesses,
    pub(crate) unstored: Unstored,
    pub(crate) sharing: Sharing,
}

impl Inner {
    pub(crate) fn spawn(&self, preload: Preload) -> io::Result<StartedChild> {
        let folder = self.instance_folder()?;
        let tmp = TmpFolder::open(
            &folder.tmp(),
            self.sandbox.visible_tmp(&folder),
            folder.user(),
        )?;
        if code_cache_filling::is_due(&self.sandbox) {
            let folder = self.new_folder(None)?;
            code_cache_filling::fill(Arc::clone(&self.sandbox), folder);
        }
        let limits = &self.options.limits;
        let channel = Channel::create(&folder, longest_line(limits))?;
        let command = self.sandbox.command(&folder, preload);
        let SandboxedChild { mut child, broker } = self.sandbox.spawn(command, &folder)?;
        Ok(StartedChild {
            broker,
            channel,
            output: Output::of(&mut child, limits, &self.clock),
            watchdog: self.watch(&child, &folder)?,
            child,
            tmp,
            folder,
        })
    }

    /// A private folder for the next process.
    pub(crate) fn instance_folder(&self) -> io::Result<InstanceFolder> {
        self.new_folder(self.options.users)
    }

    fn new_folder(&self, users: Option<ComponentUsers>) -> io::Result<InstanceFolder> {
        let number = self.instances.fetch_add(1, Ordering::Relaxed);
        let path = self.options.folder.join("run").join(number.to_string());
        let user = users.map(|users| users.of_process(number));
        InstanceFolder::create(path, self.remover.clone(), user)
    }

    pub(crate) fn watch(&self, child: &Child, folder: &InstanceFolder) -> io::Result<Watchdog> {
        let share = self.memory.share();
        let accounts = Arc::clone(&self.accounts);
        Watchdog::over(child, folder.tmp(), self.options.limits, share, accounts)
    }
}
