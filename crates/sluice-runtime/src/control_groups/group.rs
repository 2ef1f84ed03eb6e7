//! One control group: a folder whose files are its settings.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use rustix::process::Pid;

use crate::{scheduling::Priority, status_field::field};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group(PathBuf);

impl Group {
    pub(super) fn at(folder: &Path) -> Group {
        Group(folder.to_owned())
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn inside(&self, name: &str) -> Group {
        Group(self.0.join(name))
    }

    /// Returns false if it exists already, with the settings that it has.
    pub(super) fn create(&self) -> io::Result<bool> {
        match fs::create_dir(&self.0) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(explain(&self.0, &error)),
        }
    }

    /// Fails while it has processes or groups.
    pub(super) fn remove(&self) -> io::Result<()> {
        fs::remove_dir(&self.0).map_err(|error| explain(&self.0, &error))
    }

    /// Kills all its processes.
    pub(super) fn kill(&self) -> io::Result<()> {
        self.set("cgroup.kill", "1")
    }

    /// A process that has ended meanwhile needs no group.
    pub(super) fn enter(&self, pid: Pid) -> io::Result<()> {
        match self.write("cgroup.procs", &pid.to_string()) {
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(()),
            written => written.map_err(|error| explain(&self.0.join("cgroup.procs"), &error)),
        }
    }

    /// The processes directly in it.
    pub(super) fn processes(&self) -> Vec<i32> {
        let text = fs::read_to_string(self.0.join("cgroup.procs")).unwrap_or_default();
        let ids = text.lines().filter_map(|line| line.parse().ok());
        ids.collect()
    }

    pub(super) fn set(&self, name: &str, value: &str) -> io::Result<()> {
        let written = self.write(name, value);
        written.map_err(|error| explain(&self.0.join(name), &error))
    }

    /// The files exist. An attempt to create one would hide that a controller is missing.
    fn write(&self, name: &str, value: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).open(self.0.join(name))?;
        file.write_all(value.as_bytes())
    }

    /// A group that has become idle has no weight until it is not idle any more.
    pub(super) fn prioritize(&self, before: Priority, now: Priority) -> io::Result<()> {
        match now {
            Priority::Idle => match self.write("cpu.idle", "1") {
                // Linux before 5.15.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    self.set("cpu.weight.nice", "19")
                }
                written => written.map_err(|error| explain(&self.0.join("cpu.idle"), &error)),
            },
            Priority::Nice(nice) => {
                if before == Priority::Idle {
                    let _ = self.write("cpu.idle", "0");
                }
                self.set("cpu.weight.nice", &nice.to_string())
            }
        }
    }

    /// The number of its processes that the kernel killed for their memory.
    pub(super) fn memory_kills(&self) -> u64 {
        let events = fs::read_to_string(self.0.join("memory.events"));
        field(&events.unwrap_or_default(), "oom_kill ")
    }
}

fn explain(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
