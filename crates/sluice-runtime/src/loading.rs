//! Loads modules into a process.

use std::{
    io,
    path::{Component, Path, PathBuf},
    pin::pin,
    time::{Duration, Instant},
};

use sluice_model::{CodeError, CodeFiles, ModuleFormat, RawShape};
use tokio::process::Child;

use crate::{
    deno_process::StartedChild,
    fair_permits::FairPermit,
    inner::Inner,
    limits::Limits,
    load_limit,
    load_message::{ModuleFiles, load_line, prime_line},
    outcome::LogLine,
    packages::explain_native,
    pool::Priming,
    preload::Preload,
    process_group::kill_group,
    protocol::Message,
    report_limits::StrayBudget,
    sharing::Place,
    spec::{LoadError, ModuleSpec, ProcessSpec, Role},
    start_permit::{PoolSlot, StartPermit, StartSlot},
    tenant_number::TenantNumber,
};

pub(crate) const UNEXPECTED: &str = "it reported work it was not given";
/// Nearly all starts take less.
const USUAL_START: Duration = Duration::from_secs(2);

impl Inner {
    /// Installs the packages of a process, then takes a process from the pool, or else waits for a start permit.
    pub(crate) async fn admit(&self, spec: &ProcessSpec) -> Result<StartPermit, LoadError> {
        let Some(group) = self.sharing.group_of(spec) else {
            return self.admit_alone(spec).await;
        };
        loop {
            match group.place() {
                Place::Wait(formed) => formed.await,
                Place::Join(seat) => {
                    let permit = self.starting.acquire(&spec.user).await;
                    return Ok(StartPermit {
                        slot: StartSlot::Permit(permit),
                        lease: Some(seat.lease()),
                        seat: Some(seat),
                        ..StartPermit::default()
                    });
                }
                Place::Form(forming) => {
                    let permit = self.admit_alone(spec).await?;
                    return Ok(StartPermit {
                        forming: Some(forming),
                        ..permit
                    });
                }
            }
        }
    }

    async fn admit_alone(&self, spec: &ProcessSpec) -> Result<StartPermit, LoadError> {
        let mut packages = Vec::with_capacity(spec.modules.len());
        for module in &spec.modules {
            packages.push(match &module.packages {
                Some(lock) => Some(self.packages.modules(lock, &spec.user).await?),
                None => None,
            });
        }
        let slot = match self.pool.take(Priming::of(spec).as_ref()) {
            Some(pooled) => StartSlot::Pooled(Box::new(PoolSlot::new(&self.pool, pooled))),
            None => StartSlot::Permit(self.starting.acquire(&spec.user).await),
        };
        Ok(StartPermit {
            packages,
            slot,
            ..StartPermit::default()
        })
    }

    /// A process with all modules loaded, their shapes in order, and the log lines of the load.
    pub(crate) async fn load(
        &self,
        spec: &ProcessSpec,
        role: Role<'_>,
        StartPermit { packages, slot, .. }: StartPermit,
    ) -> Result<(StartedChild, Vec<RawShape>, Vec<LogLine>), LoadError> {
        let (pooled, permit) = match slot {
            StartSlot::Unlimited => (None, None),
            StartSlot::Permit(permit) => (None, Some(permit)),
            StartSlot::Pooled(slot) => (slot.take(), None),
        };
        let mut started = match pooled {
            Some(started) => started,
            None => self.spawn(Preload::Nothing)?,
        };
        if let Some(user) = &spec.user {
            started.watchdog.assign(user);
        }
        let loaded = load_limit::within(
            self.options.limits.load_timeout,
            started.child.id(),
            self.load_modules(&mut started, spec, role, packages),
        );
        let failure = match with_permit(permit, loaded).await {
            Some(Ok((shapes, early))) => return Ok((started, shapes, early)),
            Some(Err(error)) => error,
            None => code_error(format!(
                "loading took longer than {} s",
                self.options.limits.load_timeout.as_secs()
            )),
        };
        kill_group(&started.child);
        let _ = started.child.wait().await;
        Err(failure)
    }

    async fn load_modules(
        &self,
        started: &mut StartedChild,
        spec: &ProcessSpec,
        role: Role<'_>,
        packages: Vec<Option<PathBuf>>,
    ) -> Result<(Vec<RawShape>, Vec<LogLine>), LoadError> {
        let mut files = Vec::with_capacity(spec.modules.len());
        for (module, packages) in spec.modules.iter().zip(packages) {
            files.push(write_files(started, module, packages).await?);
        }
        let mut early = EarlyLogs::new(&self.options.limits);
        while !started.channel.is_open() {
            match self.next_message(started).await? {
                Message::Ready => {}
                Message::Log(_, line) => early.add(line),
                _ => return Err(unreadable(UNEXPECTED)),
            }
        }
        let line = load_line(
            TenantNumber::FIRST,
            spec,
            role,
            &files,
            &self.options.limits,
        );
        if started.channel.send(&line).await.is_err() {
            return Err(self.died(started).await);
        }
        loop {
            match self.next_message(started).await? {
                Message::Loaded(shapes) => return Ok((shapes, early.lines)),
                Message::Failed(mut error, stack) => {
                    if let Some(explained) = explain_native(&error.message, &stack) {
                        error.message = explained;
                    }
                    return Err(LoadError::Code(vec![error]));
                }
                Message::Log(_, line) => early.add(line),
                _ => return Err(unreadable(UNEXPECTED)),
            }
        }
    }

    /// The next message of a process that loads code, or a printed line. Its end is an error.
    pub(crate) async fn next_message(
        &self,
        started: &mut StartedChild,
    ) -> Result<Message, LoadError> {
        let is_open = started.channel.is_open();
        let message = tokio::select! {
            message = started.channel.next() => message?,
            Some(line) = started.output.next() => return Ok(Message::Log(None, line)),
            // Before the harness has opened the channel, its end is not noticed there.
            _ = started.child.wait(), if !is_open => None,
        };
        match message {
            // Only the component can make the harness write invalid lines: a text with half a character, or a default that
            // nests endlessly.
            Some(message) => message.map_err(|why| unreadable(&why)),
            None => Err(self.died(started).await),
        }
    }

    /// Waits until an empty process is ready for a component.
    pub(crate) async fn until_ready(&self, started: &mut StartedChild) -> io::Result<()> {
        let ready = async {
            loop {
                match self.next_message(started).await {
                    Ok(Message::Ready) => return Ok(()),
                    // Packages may print while they are imported.
                    Ok(Message::Log(..)) => {}
                    Ok(_) => return Err(io::Error::other("its first message is invalid")),
                    Err(error) => return Err(io::Error::other(error)),
                }
            }
        };
        tokio::time::timeout(self.options.limits.load_timeout, ready).await?
    }

    /// Imports packages into an empty process, ahead of its component.
    pub(crate) async fn prime(
        &self,
        started: &mut StartedChild,
        priming: &Priming,
    ) -> io::Result<()> {
        let modules = self
            .packages
            .modules(&priming.lock, &None)
            .await
            .map_err(io::Error::other)?;
        let folder = started.folder.module(ModuleSpec::COMPONENT);
        link_packages(&folder, &modules).await?;
        let aliases = serde_json::to_string(&priming.lock.aliases().collect::<Vec<_>>())?;
        let (name, code) = match priming.format {
            ModuleFormat::CommonJs => (
                "packages.cjs",
                format!("for (const name of {aliases}) try {{ require(name); }} catch {{}}"),
            ),
            ModuleFormat::EsModule => (
                "packages.mjs",
                format!("await Promise.allSettled({aliases}.map((name) => import(name)));"),
            ),
        };
        let file = folder.join(name);
        tokio::fs::write(&file, code).await?;
        let line = prime_line(&folder, &file, &modules);
        started.channel.send(&line).await?;
        self.until_ready(started).await
    }

    /// The error of a process that ended during the load. It is the component's, unless Deno itself could not run.
    pub(crate) async fn died(&self, started: &mut StartedChild) -> LoadError {
        let stderr = started.output.last_errors().await.trim().to_owned();
        let message = if let Some(overuse) = started.watchdog.overuse() {
            format!("loading used too much: {overuse}")
        } else if stderr.contains("out of memory") {
            format!(
                "loading ran out of memory (limit {} MB)",
                self.options.limits.heap_mb
            )
        } else {
            let last = stderr.lines().last().map(str::to_owned);
            let reason = match last {
                Some(line) => line,
                None => how_it_ended(&mut started.child).await,
            };
            format!("the process ended while the component was loading: {reason}")
        };
        code_error(message)
    }
}

/// The log lines of a load, within a budget.
struct EarlyLogs {
    lines: Vec<LogLine>,
    budget: StrayBudget,
}

impl EarlyLogs {
    fn new(limits: &Limits) -> EarlyLogs {
        EarlyLogs {
            lines: Vec::new(),
            budget: StrayBudget::new(limits, Instant::now()),
        }
    }

    fn add(&mut self, line: LogLine) {
        if self.budget.take(&line, Instant::now()) {
            self.lines.push(line);
        }
    }
}

async fn how_it_ended(child: &mut Child) -> String {
    match child.wait().await {
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    }
}

/// Releases the permit of a start that takes long: slow code must not keep other processes from starting.
async fn with_permit<T>(permit: Option<FairPermit>, start: impl Future<Output = T>) -> T {
    let mut start = pin!(start);
    let usual = tokio::time::timeout(USUAL_START, &mut start).await;
    drop(permit);
    match usual {
        Ok(started) => started,
        Err(_) => start.await,
    }
}

/// The folder of a module's own files, beside its packages.
pub(crate) const FILES: &str = "src";

/// Writes a module into its folder and links its packages.
async fn write_files(
    started: &StartedChild,
    module: &ModuleSpec,
    packages: Option<PathBuf>,
) -> io::Result<ModuleFiles> {
    let folder = started.folder.module(&module.name);
    if let Some(packages) = &packages {
        link_packages(&folder, packages).await?;
    }
    let file = lay_out(&folder, &module.files).await?;
    Ok(ModuleFiles {
        folder,
        file,
        packages,
    })
}

/// Writes files into the folder of their module. Returns the path of the entry.
pub(crate) async fn lay_out(folder: &Path, files: &CodeFiles) -> io::Result<PathBuf> {
    let layout = Layout::new(folder, files)?;
    let entry = layout.entry.clone();
    let written = lay_out_all(vec![Ok(layout)]).await?;
    written.into_iter().collect::<io::Result<()>>()?;
    Ok(entry)
}

/// The files of a module with their paths on disk.
pub(crate) struct Layout {
    pub(crate) entry: PathBuf,
    files: Vec<(PathBuf, String)>,
}

impl Layout {
    pub(crate) fn new(folder: &Path, files: &CodeFiles) -> io::Result<Layout> {
        let root = folder.join(FILES);
        let entry = below(&root, &files.entry.link.path)?;
        let files = files.laid_out();
        let files = files.map(|(path, text)| Ok((below(&root, &path)?, text.into_owned())));
        Ok(Layout {
            entry,
            files: files.collect::<io::Result<_>>()?,
        })
    }
}

/// Writes the files of modules. Returns whether each was written, in their order. Together, because each change of thread takes as
/// long as writing a file.
pub(crate) async fn lay_out_all(
    layouts: Vec<io::Result<Layout>>,
) -> io::Result<Vec<io::Result<()>>> {
    let write = |layout: io::Result<Layout>| write_all(&layout?);
    let write_all = move || layouts.into_iter().map(write).collect();
    Ok(tokio::task::spawn_blocking(write_all).await?)
}

fn write_all(layout: &Layout) -> io::Result<()> {
    for (path, text) in &layout.files {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}

/// A path below a folder. The author of the code chose it.
fn below(folder: &Path, path: &str) -> io::Result<PathBuf> {
    let path = Path::new(path);
    let is_plain = |part| matches!(part, Component::Normal(_));
    if path.components().all(is_plain) {
        Ok(folder.join(path))
    } else {
        let message = format!("{} leaves the folder of the code", path.display());
        Err(io::Error::other(message))
    }
}

/// A process that imported these packages ahead has the link already.
pub(crate) async fn link_packages(folder: &Path, packages: &Path) -> io::Result<()> {
    tokio::fs::create_dir_all(folder).await?;
    match tokio::fs::symlink(packages, folder.join("node_modules")).await {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        linked => linked,
    }
}

pub(crate) fn unreadable(why: &str) -> LoadError {
    code_error(format!("what the component exports cannot be read: {why}"))
}

pub(crate) fn code_error(message: String) -> LoadError {
    LoadError::Code(vec![CodeError::without_position(message)])
}
