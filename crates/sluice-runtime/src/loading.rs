//! Giving a process its component, and listening until it is loaded.

use std::{
    io,
    path::{Path, PathBuf},
};

use sluice_code::CodeError;
use sluice_model::{ModuleFormat, RawShape};
use tokio::io::AsyncWriteExt;

use crate::{
    lines::LineReader,
    load_message::{Placed, load_line, prime_line},
    outcome::LogLine,
    packages::explain_native,
    pool::Priming,
    process::{Started, kill_group},
    protocol::{self, Message},
    runtime::Inner,
    spec::{LoadError, ModuleSpec, Preload, ProcessSpec, Role},
};

impl Inner {
    /// A process with all modules loaded, and what these are, in their order.
    pub(crate) async fn load(
        &self,
        spec: &ProcessSpec,
        role: Role<'_>,
    ) -> Result<(Started, Vec<RawShape>, Vec<LogLine>), LoadError> {
        let mut packages = Vec::with_capacity(spec.modules.len());
        for module in &spec.modules {
            packages.push(match &module.packages {
                Some(lock) => Some(self.packages.modules(lock).await?),
                None => None,
            });
        }
        let waiting = self.pool.take(Priming::of(spec).as_ref());
        let (mut started, _slot) = if let Some(started) = waiting {
            (started, None)
        } else {
            let slot = self.starting.acquire().await;
            let slot = slot.map_err(|error| LoadError::Start(error.to_string()))?;
            (self.spawn(Preload::Nothing)?, Some(slot))
        };
        let loaded = tokio::time::timeout(
            self.options.limits.load_timeout,
            self.greet(&mut started, spec, role, packages),
        );
        let failure = match loaded.await {
            Ok(Ok((shapes, early))) => return Ok((started, shapes, early)),
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
        role: Role<'_>,
        packages: Vec<Option<PathBuf>>,
    ) -> Result<(Vec<RawShape>, Vec<LogLine>), LoadError> {
        let mut placed = Vec::with_capacity(spec.modules.len());
        for (module, packages) in spec.modules.iter().zip(packages) {
            placed.push(place(started, module, packages).await?);
        }
        let line = load_line(spec, role, &placed, &self.options.limits);
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
                    Message::Loaded(shapes) => return Ok((shapes, early)),
                    Message::Failed(mut fault, stack) => {
                        if let Some(explained) = explain_native(&fault.message, &stack) {
                            fault.message = explained;
                        }
                        return Err(LoadError::Code(vec![fault]));
                    }
                    Message::Log(_, line) => early.push(line),
                    Message::Emit(..)
                    | Message::Export(..)
                    | Message::Send(..)
                    | Message::Ask(..)
                    | Message::Respond(..)
                    | Message::Held(_)
                    | Message::Write(..)
                    | Message::Surveyed { .. }
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
                    match str::from_utf8(&line).map(protocol::parse) {
                        Ok(Ok(Message::Ready)) => return Ok(()),
                        // Packages may print what they like when they are imported.
                        Ok(Ok(Message::Log(..))) => continue,
                        _ => return Err(io::Error::other("its first words make no sense")),
                    }
                }
                if !started.stdout.fill().await? {
                    return Err(io::Error::other("it ended before it was ready"));
                }
            }
        };
        tokio::time::timeout(self.options.limits.load_timeout, ready).await?
    }

    /// Imports packages into an empty process, for a component that is not known yet.
    pub(crate) async fn prime(&self, started: &mut Started, priming: &Priming) -> io::Result<()> {
        let modules = self
            .packages
            .modules(&priming.lock)
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
        let line = prime_line(&file, &modules);
        started.stdin.write_all(line.as_bytes()).await?;
        self.until_ready(started).await
    }

    /// A process that ended while it was loading: the component's fault, unless Deno itself could not run.
    pub(crate) async fn died(&self, started: &mut Started) -> LoadError {
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
}

/// Writes a module into its folder, beside its packages.
async fn place(
    started: &Started,
    module: &ModuleSpec,
    packages: Option<PathBuf>,
) -> io::Result<Placed> {
    let folder = started.folder.module(&module.name);
    if let Some(packages) = &packages {
        link_packages(&folder, packages).await?;
    }
    let file = write_module(&folder, &module.name, &module.code, module.format).await?;
    Ok(Placed { file, packages })
}

/// Writes code into a folder of its own.
pub(crate) async fn write_module(
    folder: &Path,
    name: &str,
    code: &str,
    format: ModuleFormat,
) -> io::Result<PathBuf> {
    tokio::fs::create_dir_all(folder).await?;
    let extension = match format {
        ModuleFormat::CommonJs => "cjs",
        ModuleFormat::EsModule => "mjs",
    };
    let file = folder.join(format!("{name}.{extension}"));
    tokio::fs::write(&file, code).await?;
    Ok(file)
}

/// A process that has these packages already has the link too.
pub(crate) async fn link_packages(folder: &Path, packages: &Path) -> io::Result<()> {
    tokio::fs::create_dir_all(folder).await?;
    match tokio::fs::symlink(packages, folder.join("node_modules")).await {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        linked => linked,
    }
}

pub(crate) fn unreadable(why: &str) -> LoadError {
    code_fault(format!("what the component exports cannot be read: {why}"))
}

pub(crate) fn code_fault(message: String) -> LoadError {
    LoadError::Code(vec![CodeError::without_position(message)])
}
