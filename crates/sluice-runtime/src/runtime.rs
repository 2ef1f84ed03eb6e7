//! Starting component processes: where they live, what they share, and how many there may be.

use std::{
    collections::BTreeMap,
    io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use sluice_code::{CodeError, ParsedModule};
use sluice_model::{Clock, RawShape};
use tokio::{
    process::{Child, Command},
    sync::Semaphore,
};

use crate::{
    census::{Census, RunningProcess},
    limits::Limits,
    lines::LineReader,
    memory::MemoryInUse,
    outcome::LogLine,
    packages::Packages,
    pool::Pool,
    process::{InstanceFolder, LONGEST_LINE, Process, ProcessEvents, Started, kill_group},
    question,
    sandbox::{Network, Sandbox},
    spec::{Analysis, Lines, LoadError, ModuleSpec, Preload, ProcessOwner, ProcessSpec, Role},
    survey,
    watchdog::Watchdog,
};

pub struct RuntimeOptions {
    pub deno: PathBuf,
    /// Our own binary, whose launcher mode starts Deno.
    pub launcher: PathBuf,
    /// Holds the harness and the private folders of processes; emptied at start.
    pub folder: PathBuf,
    pub limits: Limits,
    pub network: Network,
    /// How many processes may be starting at once.
    pub starting_at_once: usize,
    /// How many empty processes wait for a component.
    pub warm_processes: usize,
    /// How long fetching a component's packages may take.
    pub package_timeout: Duration,
}

#[derive(Clone)]
pub struct Runtime(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) options: RuntimeOptions,
    pub(crate) sandbox: Sandbox,
    clock: Arc<dyn Clock>,
    pub(crate) packages: Packages,
    pub(crate) pool: Pool,
    pub(crate) starting: Semaphore,
    /// Questions that may be under way: their processes are not counted among those of sources.
    pub(crate) questions: Semaphore,
    /// Processes that may be looking at components.
    pub(crate) surveys: Semaphore,
    instances: AtomicU64,
    memory: MemoryInUse,
    census: Census,
}

impl Runtime {
    pub fn new(options: RuntimeOptions, clock: Arc<dyn Clock>) -> io::Result<Runtime> {
        let instances = options.folder.join("run");
        match std::fs::remove_dir_all(&instances) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => std::fs::create_dir_all(&instances)?,
        }
        let sandbox = Sandbox::prepare(&options)?;
        let packages = Packages::new(
            sandbox.packages(),
            &options.folder.join("package-cache"),
            options.deno.clone(),
            options.package_timeout,
        )?;
        Ok(Runtime(Arc::new(Inner {
            sandbox,
            packages,
            pool: Pool::new(options.warm_processes),
            starting: Semaphore::new(options.starting_at_once.max(1)),
            questions: Semaphore::new(question::AT_ONCE),
            surveys: Semaphore::new(survey::at_once()),
            options,
            clock,
            instances: AtomicU64::new(0),
            memory: MemoryInUse::default(),
            census: Census::default(),
        })))
    }

    /// Starts the first empty processes, in the background.
    pub fn warm_up(&self) {
        Pool::refill(&self.0);
    }

    /// Bytes of memory that component processes use, each on its own.
    pub fn memory_in_use(&self) -> u64 {
        self.0.memory.bytes()
    }

    /// The processes that have a component, the longest running first.
    pub fn processes(&self) -> Vec<RunningProcess> {
        self.0.census.processes()
    }

    /// How many processes wait for a component.
    pub fn warm_processes(&self) -> usize {
        self.0.pool.len()
    }

    /// Whether as many wait as should.
    pub fn is_warm(&self) -> bool {
        self.0.pool.is_full()
    }

    /// Reads the shape of a component, which is JavaScript: installs the packages it imports, then loads it in a sandboxed
    /// process of its own.
    pub async fn analyze(
        &self,
        module: &ParsedModule,
        lines: Lines,
        role: Role<'_>,
    ) -> Result<Analysis, LoadError> {
        let packages = match module.packages() {
            [] => None,
            imports => {
                let lock = self.0.packages.resolve(imports).await;
                Some(Arc::new(lock.map_err(|error| match lines {
                    Lines::Written => LoadError::from(error),
                    Lines::Built => LoadError::from(error).without_positions(),
                })?))
            }
        };
        let spec = ProcessSpec {
            owner: ProcessOwner::Nobody,
            modules: vec![ModuleSpec {
                name: role.module_name().to_owned(),
                code: Arc::clone(module.code()),
                format: module.format(),
                packages: packages.clone(),
                props: Vec::new(),
            }],
            env: BTreeMap::new(),
            stored: Vec::new(),
        };
        let loaded = self.load(&spec, role).await;
        let (mut started, shapes, _) = loaded.map_err(|error| match lines {
            Lines::Written => error,
            Lines::Built => error.without_built_lines(),
        })?;
        kill_group(&started.child);
        // Reaped here, so that its folder is not removed under a process that still runs.
        let _ = started.child.wait().await;
        let shape = role.check(shapes, module.format()).map_err(|errors| {
            LoadError::Code(
                errors
                    .into_iter()
                    .map(CodeError::without_position)
                    .collect(),
            )
        })?;
        Ok(Analysis {
            shape,
            packages: packages.map(Arc::unwrap_or_clone),
        })
    }

    /// Starts a process with its modules loaded.
    pub async fn start(&self, spec: &ProcessSpec) -> Result<(Process, ProcessEvents), LoadError> {
        let role = match (&spec.owner, spec.modules.as_slice()) {
            (ProcessOwner::Workflow(_), [first, ..]) => Role::Step(&first.name),
            _ => Role::Component,
        };
        let (started, _, early) = self.load(spec, role).await?;
        let memory = started.watchdog.memory();
        let now_ms = self.0.clock.now_ms();
        let counted = self.0.census.count(spec.owner.clone(), memory, now_ms);
        Ok(Process::watch(
            started,
            early,
            counted,
            self.0.options.limits,
            Arc::clone(&self.0.clock),
        ))
    }

    async fn load(
        &self,
        spec: &ProcessSpec,
        role: Role<'_>,
    ) -> Result<(Started, Vec<RawShape>, Vec<LogLine>), LoadError> {
        let loaded = self.0.load(spec, role).await;
        // Only now: starting the next empty process would have taken the time of this one.
        Pool::refill(&self.0);
        loaded
    }
}

impl Inner {
    pub(crate) fn spawn(&self, preload: Preload) -> io::Result<Started> {
        let folder = self.instance_folder()?;
        let mut child = Command::from(self.sandbox.command(&folder, preload))
            .kill_on_drop(true)
            .spawn()?;
        let missing = || io::Error::other("a pipe to the process is missing");
        Ok(Started {
            stdin: child.stdin.take().ok_or_else(missing)?,
            stdout: LineReader::new(child.stdout.take().ok_or_else(missing)?, LONGEST_LINE),
            stderr: child.stderr.take().ok_or_else(missing)?,
            watchdog: self.watch(&child, &folder)?,
            child,
            visible_tmp: self.sandbox.visible_tmp(&folder),
            folder,
        })
    }

    /// A private folder for the next process.
    pub(crate) fn instance_folder(&self) -> io::Result<InstanceFolder> {
        let number = self.instances.fetch_add(1, Ordering::Relaxed);
        let folder = InstanceFolder(self.options.folder.join("run").join(number.to_string()));
        std::fs::create_dir_all(folder.code())?;
        std::fs::create_dir_all(folder.stash())?;
        Ok(folder)
    }

    pub(crate) fn watch(&self, child: &Child, folder: &InstanceFolder) -> io::Result<Watchdog> {
        let share = self.memory.share();
        Watchdog::over(child, folder.tmp(), self.options.limits, share)
    }
}
