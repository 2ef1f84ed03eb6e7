//! The runtime: starts Deno processes and analyses code in them.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    io,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use sluice_code::CodeTree;
use sluice_model::{Clock, CodeError, ComponentShape, RawShape};

use crate::{
    accounts::Accounts,
    analysis_cache::{AnalysisCache, AnalysisKey},
    box_future::BoxFuture,
    code_cache_filling,
    deno_process::{DenoProcess, Joined, NewTenant, ProcessSetup, Seat, StartedChild},
    fair_permits::FairPermits,
    fair_queue::{PermitLimits, PermitUse, PermitUser},
    inner::Inner,
    memory::MemoryInUse,
    options::RuntimeOptions,
    outcome::{LogLine, Question},
    packages::{PackageArchives, PackageError, PackageLock, Packages},
    pool::Pool,
    pool_filling,
    process::{Process, ProcessEvents},
    process_group::kill_group,
    processes::Processes,
    question::{self, QuestionOutcome},
    report_limits::ReportLimits,
    running::{RunningProcess, RunningProcesses, TenantMemory},
    sandbox::Sandbox,
    sharing::{Forming, Sharing},
    spec::{Analysis, LoadError, ModuleSpec, ProcessOwner, ProcessSpec, Role},
    start_permit::StartPermit,
    survey,
    trees::Remover,
    unstored::Unstored,
};

/// Runs components in sandboxed Deno processes.
#[derive(Clone)]
pub struct Runtime(pub(crate) Arc<Inner>);

impl Runtime {
    pub fn new(options: RuntimeOptions, clock: Arc<dyn Clock>) -> io::Result<Runtime> {
        let instances = options.folder.join("run");
        let remover = Remover::start(options.folder.join("removed"))?;
        remover.renew(&instances)?;
        let sandbox = Arc::new(Sandbox::prepare(&options)?);
        code_cache_filling::reuse(&sandbox);
        let packages = Packages::new(
            sandbox.packages(),
            &options.folder.join("package-cache"),
            remover.clone(),
            Arc::clone(&sandbox),
            options.packages,
            Arc::clone(&clock),
        )?;
        let accounts = Accounts::prepare(options.control_groups.as_ref())?;
        let sharing = Sharing::new(options.isolation);
        let of_one_process = ReportLimits::of(&options.limits).together;
        Ok(Runtime(Arc::new(Inner {
            unstored: Unstored::new(options.unstored_per_user.max(of_one_process)),
            sandbox,
            packages,
            pool: Arc::new(Pool::new(options.warm_processes)),
            analyses: AnalysisCache::default(),
            starting: FairPermits::new(one_in_reserve(options.starting_at_once)),
            questions: FairPermits::new(PermitLimits::three_quarters(question::MAX_CONCURRENT)),
            surveys: FairPermits::new(one_in_reserve(survey::max_processes())),
            options,
            clock,
            instances: AtomicU64::new(0),
            remover,
            memory: MemoryInUse::default(),
            accounts: Arc::new(accounts),
            running: RunningProcesses::default(),
            sharing,
        })))
    }

    /// Starts the first idle processes in the background.
    pub fn warm_up(&self) {
        pool_filling::refill(&self.0);
    }

    /// Private memory of all component processes, in bytes.
    pub fn memory_in_use(&self) -> u64 {
        self.0.memory.bytes()
    }

    /// The processes with loaded code, the oldest first.
    pub fn processes(&self) -> Vec<RunningProcess> {
        self.0.running.processes()
    }

    /// The number of idle processes.
    pub fn warm_processes(&self) -> usize {
        self.0.pool.len()
    }

    /// Whether as many idle processes are ready as configured.
    pub fn is_warm(&self) -> bool {
        self.0.pool.is_full()
    }

    /// Reads the shape of a component: installs the packages it imports, then loads it in a sandboxed process of its own, unless
    /// the same code was analysed a short while ago.
    pub async fn analyze(
        &self,
        tree: &CodeTree,
        role: Role<'_>,
        user: &PermitUser,
    ) -> Result<Analysis, LoadError> {
        let imports = tree.packages();
        let packages = match imports.as_slice() {
            [] => None,
            imports => Some(Arc::new(self.0.packages.resolve(imports, user).await?)),
        };
        let files = Arc::new(tree.to_files());
        let key = AnalysisKey::of(&files, tree.format(), packages.as_deref(), role);
        let now_ms = self.0.clock.now_ms();
        let shape = if let Some(shape) = self.0.analyses.get(key, now_ms) {
            shape
        } else {
            let module = ModuleSpec {
                name: role.module_name().to_owned(),
                files,
                format: tree.format(),
                packages: packages.clone(),
                props: Vec::new(),
            };
            let shape = self.analyze_in_process(module, role, user).await?;
            self.0.analyses.insert(key, &shape, now_ms);
            shape
        };
        Ok(Analysis {
            shape,
            packages: packages.map(Arc::unwrap_or_clone),
        })
    }

    async fn analyze_in_process(
        &self,
        module: ModuleSpec,
        role: Role<'_>,
        user: &PermitUser,
    ) -> Result<ComponentShape, LoadError> {
        let _permit = self.0.questions.acquire(user).await;
        let format = module.format;
        let spec = ProcessSpec {
            owner: ProcessOwner::Unowned,
            user: user.clone(),
            max_db: None,
            modules: vec![module],
            env: BTreeMap::new(),
            secret_env: BTreeSet::new(),
            stored: Vec::new(),
        };
        let permit = self.0.admit(&spec).await?;
        let (mut child, shapes, _) = self.load(&spec, role, permit).await?;
        kill_group(&child.child);
        // Its folder must not be removed while the process still runs.
        let _ = child.child.wait().await;
        role.check(shapes, format).map_err(|errors| {
            LoadError::Code(
                errors
                    .into_iter()
                    .map(CodeError::without_position)
                    .collect(),
            )
        })
    }

    /// Starts a process with its modules loaded, as soon as it may start.
    pub async fn start(&self, spec: &ProcessSpec) -> Result<(Process, ProcessEvents), LoadError> {
        let permit = self.0.admit(spec).await?;
        self.start_admitted(spec, permit).await
    }

    async fn start_admitted(
        &self,
        spec: &ProcessSpec,
        mut permit: StartPermit,
    ) -> Result<(Process, ProcessEvents), LoadError> {
        if let Some(seat) = permit.seat.take()
            && let Some(joined) = self.join(spec, seat).await?
        {
            return Ok(joined);
        }
        self.start_process(spec, permit).await
    }

    /// Loads the code of a source into a process of others. Returns `None` if that has ended meanwhile.
    async fn join(
        &self,
        spec: &ProcessSpec,
        seat: Seat,
    ) -> Result<Option<(Process, ProcessEvents)>, LoadError> {
        let tenant = self.tenant(spec, seat.memory(), Vec::new());
        Ok(match seat.join(spec, tenant).await? {
            Joined::Yes(process, events) => Some((process, events)),
            Joined::Gone => None,
        })
    }

    fn tenant(
        &self,
        spec: &ProcessSpec,
        memory: TenantMemory,
        early_logs: Vec<LogLine>,
    ) -> NewTenant {
        let now_ms = self.0.clock.now_ms();
        let (owner, user) = (spec.owner.clone(), spec.user.clone());
        NewTenant {
            owner: owner.clone(),
            registration: self.0.running.register(owner, user, memory, now_ms),
            unstored: self.0.unstored.share(&spec.user),
            early_logs,
        }
    }

    async fn start_process(
        &self,
        spec: &ProcessSpec,
        mut permit: StartPermit,
    ) -> Result<(Process, ProcessEvents), LoadError> {
        let forming = permit.forming.take();
        let lease = permit.lease.take().unwrap_or_else(|| Arc::new(()));
        let role = match (&spec.owner, spec.modules.as_slice()) {
            (ProcessOwner::Workflow(_), [first, ..]) => Role::Step(&first.name),
            _ => Role::Component,
        };
        let (child, _, early_logs) = self.load(spec, role, permit).await?;
        let memory = TenantMemory::of(child.watchdog.memory());
        let tenant = self.tenant(spec, memory.clone(), early_logs);
        let setup = ProcessSetup {
            limits: self.0.options.limits,
            room: self.0.unstored.share(&spec.user).room(),
            memory,
            membership: forming.as_ref().map(Forming::membership),
            lease,
        };
        let (process, handle, events) = DenoProcess::supervise(child, setup, tenant);
        if let Some(forming) = forming {
            forming.formed(&process);
        }
        Ok((handle, events))
    }

    /// Reads the shapes of components, in their order, without their packages: values from packages are left out.
    pub async fn survey(
        &self,
        trees: Vec<CodeTree>,
        user: &PermitUser,
    ) -> Vec<Result<ComponentShape, LoadError>> {
        survey::survey(&self.0, trees, user).await
    }

    /// Asks a component one question, in a process of its own. `argument` is JSON on one line. Other effects of the
    /// component, such as emits, are ignored.
    pub async fn ask(
        &self,
        spec: &ProcessSpec,
        question: Question,
        argument: Arc<str>,
        timeout: Duration,
    ) -> Result<QuestionOutcome, LoadError> {
        let _permit = self.0.questions.acquire(&spec.user).await;
        let (process, events) = self.start(spec).await?;
        Ok(question::ask(&process, events, question, argument, timeout).await)
    }

    async fn load(
        &self,
        spec: &ProcessSpec,
        role: Role<'_>,
        permit: StartPermit,
    ) -> Result<(StartedChild, Vec<RawShape>, Vec<LogLine>), LoadError> {
        let loaded = self.0.load(spec, role, permit).await;
        // After the load, because starting the next idle process would slow it down.
        pool_filling::refill(&self.0);
        loaded
    }
}

impl Processes for Runtime {
    fn admit<'a>(&'a self, spec: &'a ProcessSpec) -> BoxFuture<'a, Result<StartPermit, LoadError>> {
        Box::pin(self.0.admit(spec))
    }

    fn start<'a>(
        &'a self,
        spec: &'a ProcessSpec,
        permit: StartPermit,
    ) -> BoxFuture<'a, Result<(Process, ProcessEvents), LoadError>> {
        Box::pin(self.start_admitted(spec, permit))
    }

    fn analyze<'a>(
        &'a self,
        tree: &'a CodeTree,
        role: Role<'a>,
        user: &'a PermitUser,
    ) -> BoxFuture<'a, Result<Analysis, LoadError>> {
        Box::pin(Runtime::analyze(self, tree, role, user))
    }

    fn survey<'a>(
        &'a self,
        trees: Vec<CodeTree>,
        user: &'a PermitUser,
    ) -> BoxFuture<'a, Vec<Result<ComponentShape, LoadError>>> {
        Box::pin(Runtime::survey(self, trees, user))
    }

    fn ask<'a>(
        &'a self,
        spec: &'a ProcessSpec,
        question: Question,
        argument: Arc<str>,
        timeout: Duration,
    ) -> BoxFuture<'a, Result<QuestionOutcome, LoadError>> {
        Box::pin(Runtime::ask(self, spec, question, argument, timeout))
    }

    fn permits_in_use(&self) -> Vec<(&'static str, PermitUse)> {
        vec![
            ("start", self.0.starting.in_use()),
            ("question", self.0.questions.in_use()),
            ("survey", self.0.surveys.in_use()),
            ("install", self.0.packages.permits_in_use()),
        ]
    }

    fn warm_up(&self) {
        Runtime::warm_up(self);
    }

    fn is_warm(&self) -> bool {
        Runtime::is_warm(self)
    }

    fn warm_processes(&self) -> usize {
        Runtime::warm_processes(self)
    }

    fn memory_in_use(&self) -> u64 {
        Runtime::memory_in_use(self)
    }

    fn processes(&self) -> Vec<RunningProcess> {
        Runtime::processes(self)
    }

    fn use_package_archives(&self, archives: Arc<dyn PackageArchives>) {
        self.0.packages.use_archives(archives);
    }

    fn has_packages<'a>(&'a self, hash: &'a str) -> BoxFuture<'a, io::Result<bool>> {
        Box::pin(self.0.packages.is_installed(hash))
    }

    fn install_ahead<'a>(
        &'a self,
        lock: &'a PackageLock,
    ) -> BoxFuture<'a, Result<(), PackageError>> {
        Box::pin(self.0.packages.install_ahead(lock))
    }

    fn archive_packages<'a>(
        &'a self,
        hash: &'a str,
        max_bytes: usize,
    ) -> BoxFuture<'a, io::Result<Option<Vec<u8>>>> {
        Box::pin(self.0.packages.archive(hash, max_bytes))
    }

    fn has_old_packages(&self) -> BoxFuture<'_, io::Result<bool>> {
        Box::pin(self.0.packages.has_old_folders())
    }

    fn package_bytes(&self, hashes: HashSet<String>) -> BoxFuture<'_, u64> {
        Box::pin(self.0.packages.bytes(hashes))
    }

    fn remove_unused_packages(&self, in_use: HashSet<String>) -> BoxFuture<'_, io::Result<usize>> {
        Box::pin(self.0.packages.remove_unused(in_use))
    }
}

/// One permit more than one user may hold, so that a user cannot keep all others waiting.
fn one_in_reserve(per_user: usize) -> PermitLimits {
    let per_user = per_user.max(1);
    PermitLimits {
        total: per_user + 1,
        per_user,
    }
}
