//! Starting component processes: the sandbox they get, the folder they live in, and their first words.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use serde::Serialize;
use serde_json::{Value, value::RawValue};
use sluice_model::{Clock, ComponentShape, ModuleFormat, RawShape, SourceId};
use tokio::{io::AsyncWriteExt, process::Command, sync::Semaphore};

use crate::{
    analysis::{self, CodeFault},
    assets, launcher,
    limits::Limits,
    lines::LineReader,
    outcome::LogLine,
    process::{InstanceFolder, LONGEST_LINE, Process, ProcessEvents, Started, kill_group},
    protocol::{self, Message},
    question,
};

/// Addresses a component may not reach unless the operator opens private networks.
const PRIVATE_ADDRESSES: &str = "0.0.0.0/8,10.0.0.0/8,100.64.0.0/10,127.0.0.0/8,169.254.0.0/16,\
    172.16.0.0/12,192.0.0.0/24,192.168.0.0/16,198.18.0.0/15,224.0.0.0/4,240.0.0.0/4,\
    localhost,[::],[::1]";
const SYSTEM_FACTS: &str = "osRelease,homedir,hostname,cpus,uid,gid,userInfo,systemMemoryInfo";

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
}

#[derive(Debug, Clone)]
pub enum Network {
    /// Everything but private ranges and these addresses of the server itself.
    Public {
        and_not: Vec<String>,
    },
    Unrestricted,
}

/// A component to load for a source.
pub struct ProcessSpec {
    pub source: Option<SourceId>,
    pub code: Arc<str>,
    pub format: ModuleFormat,
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
#[serde(rename_all = "lowercase")]
pub enum BindingKind {
    Value,
    Http,
    Db,
    App,
}

#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The component's own fault.
    #[error("the component does not load")]
    Code(Vec<CodeFault>),
    /// The process did not get as far as loading it.
    #[error("the component process did not start: {0}")]
    Start(String),
}

impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> LoadError {
        LoadError::Start(error.to_string())
    }
}

pub struct Runtime {
    options: RuntimeOptions,
    clock: Arc<dyn Clock>,
    starting: Semaphore,
    /// Questions that may be under way: their processes are not counted among those of sources.
    pub(crate) questions: Semaphore,
    instances: AtomicU64,
}

#[derive(Serialize)]
struct LoadMessage<'a> {
    t: &'static str,
    file: String,
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
}

impl Runtime {
    pub fn new(options: RuntimeOptions, clock: Arc<dyn Clock>) -> io::Result<Runtime> {
        let instances = options.folder.join("run");
        match std::fs::remove_dir_all(&instances) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => std::fs::create_dir_all(&instances)?,
        }
        assets::write_harness(&options.folder.join("harness"))?;
        Ok(Runtime {
            starting: Semaphore::new(options.starting_at_once.max(1)),
            questions: Semaphore::new(question::AT_ONCE),
            options,
            clock,
            instances: AtomicU64::new(0),
        })
    }

    /// Reads a component's shape: parses the code, then loads it in a sandboxed process of its own.
    pub async fn analyze(&self, code: Arc<str>) -> Result<ComponentShape, LoadError> {
        let format = analysis::module_format(&code).map_err(LoadError::Code)?;
        let spec = ProcessSpec {
            source: None,
            code,
            format,
            props: Vec::new(),
            stored: Vec::new(),
        };
        let (mut started, shape, _) = self.load(&spec).await?;
        kill_group(&started.child);
        // Reaped here, so that its folder is not removed under a process that still runs.
        let _ = started.child.wait().await;
        shape.check(format).map_err(|faults| {
            LoadError::Code(faults.into_iter().map(CodeFault::of_the_whole).collect())
        })
    }

    /// Starts a process with the component loaded.
    pub async fn start(&self, spec: &ProcessSpec) -> Result<(Process, ProcessEvents), LoadError> {
        let (started, _, early) = self.load(spec).await?;
        Ok(Process::watch(
            started,
            early,
            self.options.limits,
            Arc::clone(&self.clock),
        ))
    }

    async fn load(
        &self,
        spec: &ProcessSpec,
    ) -> Result<(Started, RawShape, Vec<LogLine>), LoadError> {
        let _slot = self
            .starting
            .acquire()
            .await
            .map_err(|error| LoadError::Start(error.to_string()))?;
        let mut started = self.spawn()?;
        let loaded = tokio::time::timeout(
            self.options.limits.load_timeout,
            self.greet(&mut started, spec),
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
    ) -> Result<(RawShape, Vec<LogLine>), LoadError> {
        let file = started.folder.component().join(match spec.format {
            ModuleFormat::CommonJs => "component.cjs",
            ModuleFormat::EsModule => "component.mjs",
        });
        tokio::fs::write(&file, spec.code.as_bytes()).await?;
        let line = self.load_line(spec, &file);
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
                    Message::Failed(fault) => return Err(LoadError::Code(vec![fault])),
                    Message::Log(_, line) => early.push(line),
                    Message::Emit(..)
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

    /// A process that ended while it was loading: the component's fault, unless Deno itself could not run.
    async fn died(&self, started: &mut Started) -> LoadError {
        let mut reader = LineReader::new(&mut started.stderr, self.options.limits.log_bytes);
        while matches!(reader.fill().await, Ok(true)) {}
        let said = String::from_utf8_lossy(&reader.rest()).trim().to_owned();
        let message = if said.contains("out of memory") {
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

    fn load_line(&self, spec: &ProcessSpec, file: &Path) -> String {
        let Limits {
            emit_bytes,
            emits_bytes,
            log_bytes,
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
            source: spec.source.as_ref(),
            props: &spec.props,
            db,
            limits: HarnessLimits {
                emit: emit_bytes,
                emits: emits_bytes,
                log: log_bytes,
            },
        };
        let mut line = serde_json::to_string(&message).unwrap_or_default();
        line.push('\n');
        line
    }

    fn spawn(&self) -> io::Result<Started> {
        let number = self.instances.fetch_add(1, Ordering::Relaxed);
        let folder = InstanceFolder(self.options.folder.join("run").join(number.to_string()));
        std::fs::create_dir_all(folder.component())?;
        std::fs::create_dir_all(folder.tmp())?;
        let mut child = self.command(&folder).spawn()?;
        let missing = || io::Error::other("a pipe to the process is missing");
        Ok(Started {
            stdin: child.stdin.take().ok_or_else(missing)?,
            stdout: LineReader::new(child.stdout.take().ok_or_else(missing)?, LONGEST_LINE),
            stderr: child.stderr.take().ok_or_else(missing)?,
            child,
            folder,
        })
    }

    fn command(&self, folder: &InstanceFolder) -> Command {
        let RuntimeOptions {
            deno,
            launcher: our_binary,
            folder: runtime_folder,
            limits,
            network,
            starting_at_once: _,
        } = &self.options;
        let mut command = Command::new(our_binary);
        command
            .arg(launcher::SUBCOMMAND)
            .arg(std::process::id().to_string())
            .arg(deno)
            .args(["run", "--quiet", "--no-prompt", "--no-config", "--no-lock"])
            // Nothing is fetched. Not --no-npm, which also takes Node's built-in modules by their bare names away.
            .args(["--no-remote", "--cached-only", "--node-modules-dir=none"])
            .args(["--location", "http://localhost/"])
            .arg(format!(
                "--v8-flags=--max-old-space-size={}",
                limits.heap_mb
            ))
            .arg("--allow-env")
            .arg(format!("--allow-sys={SYSTEM_FACTS}"))
            .arg(path_flag("--allow-read", &folder.0))
            .arg(path_flag("--allow-write", &folder.tmp()))
            .arg("--allow-net");
        if let Network::Public { and_not } = network {
            let mut denied = PRIVATE_ADDRESSES.to_owned();
            for address in and_not {
                denied.push(',');
                denied.push_str(address);
            }
            command.arg(format!("--deny-net={denied}"));
        }
        command
            .arg(runtime_folder.join("harness").join(assets::ENTRY))
            .env_clear()
            .env("TMPDIR", folder.tmp())
            .env("DENO_DIR", runtime_folder.join("deno-dir"))
            .env("NO_COLOR", "1")
            .env("DENO_NO_UPDATE_CHECK", "1")
            .current_dir(folder.tmp())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        command
    }
}

fn unreadable(why: &str) -> LoadError {
    code_fault(format!("what the component exports cannot be read: {why}"))
}

fn code_fault(message: String) -> LoadError {
    LoadError::Code(vec![CodeFault::of_the_whole(message)])
}

fn path_flag(flag: &str, path: &Path) -> std::ffi::OsString {
    let mut argument = std::ffi::OsString::from(flag);
    argument.push("=");
    argument.push(path);
    argument
}
