//! Starting component processes: the sandbox they get, the folder they live in, and their first words.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use serde::Serialize;
use serde_json::{Value, value::RawValue};
use sluice_model::{Clock, ComponentShape, ModuleFormat, RawShape, SourceId};
use tokio::{io::AsyncWriteExt, process::Command, sync::Semaphore};

use crate::{
    analysis::{self, CodeFault, Language},
    ask,
    limits::Limits,
    lines::LineReader,
    outcome::LogLine,
    packages::{PackageError, PackageLock, Packages, explain_native},
    pool::Pool,
    process::{InstanceFolder, LONGEST_LINE, Process, ProcessEvents, Started, kill_group},
    protocol::{self, Message},
    question,
    sandbox::{Network, Sandbox},
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

/// What a process does before it has a component.
#[derive(Clone, Copy)]
pub(crate) enum Preload {
    /// It is needed at once.
    Nothing,
    /// It has time to import the modules of Node that packages use.
    NodeModules,
}

impl Preload {
    pub(crate) fn argument(self) -> Option<&'static str> {
        match self {
            Preload::Nothing => None,
            Preload::NodeModules => Some("warm"),
        }
    }
}

/// A component to load for a source.
pub struct ProcessSpec {
    pub source: Option<SourceId>,
    /// JavaScript.
    pub code: Arc<str>,
    pub format: ModuleFormat,
    pub packages: Option<Arc<PackageLock>>,
    pub props: Vec<PropBinding>,
    /// The key-value store: key and JSON text.
    pub stored: Vec<(String, Box<RawValue>)>,
}

/// What `this.<name>` is.
#[derive(Debug, Clone, Serialize)]
pub struct PropBinding {
    pub name: String,
    pub kind: BindingKind,
    pub value: Value,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BindingKind {
    Value,
    Http,
    Db,
    App,
    DataStore,
    Dir,
    HttpRequest,
}

#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The component's own fault.
    #[error("the component does not load")]
    Code(Vec<CodeFault>),
    /// The process did not get as far as loading it.
    #[error("the component process did not start: {0}")]
    Start(String),
    /// Its packages are not on this machine and cannot be had now.
    #[error("packages could not be fetched: {0}")]
    Packages(String),
}

impl From<PackageError> for LoadError {
    fn from(error: PackageError) -> LoadError {
        match error {
            PackageError::Code(faults) => LoadError::Code(faults),
            PackageError::Unavailable(reason) => LoadError::Packages(reason),
        }
    }
}

impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> LoadError {
        LoadError::Start(error.to_string())
    }
}

impl LoadError {
    /// Built code was parsed when it was built: what the runtime still finds wrong with its syntax is an import of
    /// something that a module does not have, at a place that no source map has brought back to the author's lines.
    fn without_built_lines(mut self) -> LoadError {
        if let LoadError::Code(faults) = &mut self {
            for fault in faults {
                if fault.message.starts_with("SyntaxError: ") {
                    (fault.line, fault.column) = (None, None);
                }
            }
        }
        self
    }
}

/// Whose lines the code has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// The author's: a fault can name them.
    Written,
    /// Those of a program that made the code.
    Built,
}

/// What saving code brings to light.
pub struct Analysis {
    pub shape: ComponentShape,
    /// None when the code names no package.
    pub packages: Option<PackageLock>,
}

#[derive(Clone)]
pub struct Runtime(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    options: RuntimeOptions,
    sandbox: Sandbox,
    clock: Arc<dyn Clock>,
    packages: Packages,
    pub(crate) pool: Pool,
    pub(crate) starting: Semaphore,
    /// Questions that may be under way: their processes are not counted among those of sources.
    pub(crate) questions: Semaphore,
    instances: AtomicU64,
}

#[derive(Serialize)]
struct LoadMessage<'a> {
    t: &'static str,
    file: String,
    /// Where its packages are, when it has any.
    modules: Option<&'a Path>,
    source: Option<&'a SourceId>,
    props: &'a [PropBinding],
    /// The texts as they were stored: they may nest deeper than we would read.
    db: BTreeMap<&'a str, &'a RawValue>,
    limits: HarnessLimits,
}

/// In bytes.
#[derive(Serialize)]
struct HarnessLimits {
    emit: usize,
    emits: usize,
    log: usize,
    /// All that the key-value store holds.
    db: usize,
    /// One value of a data store.
    value: usize,
    /// A number: questions that may wait for their answers at once.
    asks: usize,
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
            options,
            clock,
            instances: AtomicU64::new(0),
        })))
    }

    /// Starts the first empty processes, in the background.
    pub fn warm_up(&self) {
        Pool::refill(&self.0);
    }

    /// How many empty processes are ready.
    pub fn warm_processes(&self) -> usize {
        self.0.pool.len()
    }

    /// Reads a component's shape: parses the code, fetches the packages it names, then loads it in a sandboxed process
    /// of its own.
    pub async fn analyze(&self, code: Arc<str>, lines: Lines) -> Result<Analysis, LoadError> {
        let mut reading = analysis::read(&code, Language::JavaScript).map_err(LoadError::Code)?;
        if lines == Lines::Built {
            for package in &mut reading.packages {
                (package.line, package.column) = (None, None);
            }
        }
        let packages = match reading.packages.as_slice() {
            [] => None,
            named => Some(Arc::new(self.0.packages.resolve(named).await?)),
        };
        let spec = ProcessSpec {
            source: None,
            code,
            format: reading.format,
            packages: packages.clone(),
            props: Vec::new(),
            stored: Vec::new(),
        };
        let loaded = self.load(&spec).await;
        let (mut started, shape, _) = loaded.map_err(|error| match lines {
            Lines::Written => error,
            Lines::Built => error.without_built_lines(),
        })?;
        kill_group(&started.child);
        // Reaped here, so that its folder is not removed under a process that still runs.
        let _ = started.child.wait().await;
        let shape = shape.check(reading.format).map_err(|faults| {
            LoadError::Code(faults.into_iter().map(CodeFault::of_the_whole).collect())
        })?;
        Ok(Analysis {
            shape,
            packages: packages.map(Arc::unwrap_or_clone),
        })
    }

    /// Starts a process with the component loaded.
    pub async fn start(&self, spec: &ProcessSpec) -> Result<(Process, ProcessEvents), LoadError> {
        let (started, _, early) = self.load(spec).await?;
        Ok(Process::watch(
            started,
            early,
            self.0.options.limits,
            Arc::clone(&self.0.clock),
        ))
    }

    async fn load(
        &self,
        spec: &ProcessSpec,
    ) -> Result<(Started, RawShape, Vec<LogLine>), LoadError> {
        let loaded = self.0.load(spec).await;
        // Only now: starting the next empty process would have taken the time of this one.
        Pool::refill(&self.0);
        loaded
    }
}

impl Inner {
    async fn load(
        &self,
        spec: &ProcessSpec,
    ) -> Result<(Started, RawShape, Vec<LogLine>), LoadError> {
        let modules = match &spec.packages {
            Some(lock) => Some(self.packages.modules(lock).await?),
            None => None,
        };
        let (mut started, _slot) = if let Some(spare) = self.pool.take() {
            (spare, None)
        } else {
            let slot = self.starting.acquire().await;
            let slot = slot.map_err(|error| LoadError::Start(error.to_string()))?;
            (self.spawn(Preload::Nothing)?, Some(slot))
        };
        let loaded = tokio::time::timeout(
            self.options.limits.load_timeout,
            self.greet(&mut started, spec, modules.as_deref()),
        );
        let failure = match loaded.await {
            Ok(Ok((shape, early))) => return Ok((started, shape, early)),
            Ok(Err(error)) => error,
            Err(_) => code_fault(format!(
                "loading took longer than {} s",
                self.options.limits.load_timeout.as_secs()
            )),
        };
        kill_group(&started.child);
        let _ = started.child.wait().await;
        Err(failure)
    }

    async fn greet(
        &self,
        started: &mut Started,
        spec: &ProcessSpec,
        modules: Option<&Path>,
    ) -> Result<(RawShape, Vec<LogLine>), LoadError> {
        let file = started.folder.component().join(match spec.format {
            ModuleFormat::CommonJs => "component.cjs",
            ModuleFormat::EsModule => "component.mjs",
        });
        if let Some(modules) = modules {
            tokio::fs::symlink(modules, started.folder.component().join("node_modules")).await?;
        }
        tokio::fs::write(&file, spec.code.as_bytes()).await?;
        let line = self.load_line(spec, &file, modules);
        if started.stdin.write_all(line.as_bytes()).await.is_err() {
            return Err(self.died(started).await);
        }
        let mut early = Vec::new();
        loop {
            while let Some(line) = started.stdout.next_line() {
                // Only the component can make the harness say something that makes no sense: a text that is
                // half a character, a default nested without end, or lines of its own.
                let text = str::from_utf8(&line).map_err(|error| unreadable(&error.to_string()))?;
                match protocol::parse(text).map_err(|error| unreadable(&error))? {
                    Message::Ready => {}
                    Message::Loaded(shape) => return Ok((*shape, early)),
                    Message::Failed(mut fault, stack) => {
                        if let Some(explained) = explain_native(&fault.message, &stack) {
                            fault.message = explained;
                        }
                        return Err(LoadError::Code(vec![fault]));
                    }
                    Message::Log(_, line) => early.push(line),
                    Message::Emit(..)
                    | Message::Ask(..)
                    | Message::Respond(..)
                    | Message::Held(_)
                    | Message::Write(..)
                    | Message::End(..) => {
                        return Err(unreadable("it reported work it was not given"));
                    }
                }
            }
            if !started.stdout.fill().await? {
                return Err(self.died(started).await);
            }
        }
    }

    /// Waits until an empty process can be given a component.
    pub(crate) async fn until_ready(&self, started: &mut Started) -> io::Result<()> {
        let ready = async {
            loop {
                if let Some(line) = started.stdout.next_line() {
                    return match str::from_utf8(&line).map(protocol::parse) {
                        Ok(Ok(Message::Ready)) => Ok(()),
                        _ => Err(io::Error::other("its first words make no sense")),
                    };
                }
                if !started.stdout.fill().await? {
                    return Err(io::Error::other("it ended before it was ready"));
                }
            }
        };
        tokio::time::timeout(self.options.limits.load_timeout, ready).await?
    }

    /// A process that ended while it was loading: the component's fault, unless Deno itself could not run.
    async fn died(&self, started: &mut Started) -> LoadError {
        let mut reader = LineReader::new(&mut started.stderr, self.options.limits.log_bytes);
        while matches!(reader.fill().await, Ok(true)) {}
        let said = String::from_utf8_lossy(&reader.rest()).trim().to_owned();
        let message = if let Some(overuse) = started.watchdog.overuse() {
            format!("loading used too much: {overuse}")
        } else if said.contains("out of memory") {
            format!(
                "loading ran out of memory (limit {} MB)",
                self.options.limits.heap_mb
            )
        } else {
            let last = said.lines().last().unwrap_or("no reason was given");
            format!("the process ended while the component was loading: {last}")
        };
        code_fault(message)
    }

    fn load_line(&self, spec: &ProcessSpec, file: &Path, modules: Option<&Path>) -> String {
        let Limits {
            emit_bytes,
            emits_bytes,
            log_bytes,
            db_bytes,
            data_store_value_bytes,
            ..
        } = self.options.limits;
        let db = spec
            .stored
            .iter()
            .map(|(key, value)| (key.as_str(), &**value))
            .collect();
        let message = LoadMessage {
            t: "load",
            file: format!("file://{}", file.display()),
            modules,
            source: spec.source.as_ref(),
            props: &spec.props,
            db,
            limits: HarnessLimits {
                emit: emit_bytes,
                emits: emits_bytes,
                log: log_bytes,
                db: db_bytes,
                value: data_store_value_bytes,
                asks: ask::MOST_AT_ONCE,
            },
        };
        let mut line = serde_json::to_string(&message).unwrap_or_default();
        line.push('\n');
        line
    }

    pub(crate) fn spawn(&self, preload: Preload) -> io::Result<Started> {
        let number = self.instances.fetch_add(1, Ordering::Relaxed);
        let folder = InstanceFolder(self.options.folder.join("run").join(number.to_string()));
        std::fs::create_dir_all(folder.component())?;
        std::fs::create_dir_all(folder.stash())?;
        let mut child = Command::from(self.sandbox.command(&folder, preload))
            .kill_on_drop(true)
            .spawn()?;
        let missing = || io::Error::other("a pipe to the process is missing");
        Ok(Started {
            stdin: child.stdin.take().ok_or_else(missing)?,
            stdout: LineReader::new(child.stdout.take().ok_or_else(missing)?, LONGEST_LINE),
            stderr: child.stderr.take().ok_or_else(missing)?,
            watchdog: Watchdog::over(&child, folder.tmp(), self.options.limits)?,
            child,
            visible_tmp: self.sandbox.visible_tmp(&folder),
            folder,
        })
    }
}

fn unreadable(why: &str) -> LoadError {
    code_fault(format!("what the component exports cannot be read: {why}"))
}

fn code_fault(message: String) -> LoadError {
    LoadError::Code(vec![CodeFault::of_the_whole(message)])
}
