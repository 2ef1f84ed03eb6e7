//! What a component process is given: its folders, its flags, its environment and the walls around it.
//!
//! All of it is known before the component is, so that processes can be started empty and wait for one.

mod network;
mod own_addresses;
mod walls;
mod warm_up;

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

pub use network::{EgressProxy, Exceptions, Network, PrivateNetworks};
pub use own_addresses::own_addresses;

use crate::{
    assets,
    launcher::{self, Confinement, Mounts, Walls},
    limits::Limits,
    load_message::harness_limits,
    process::{InstanceFolder, STASH},
    runtime::RuntimeOptions,
    spec::Preload,
    test_run::TestReport,
};

const SYSTEM_FACTS: &str = "osRelease,homedir,hostname,cpus,uid,gid,userInfo,systemMemoryInfo";
const TMP: &str = "/tmp";
/// Memory that V8 asks for and hardly uses.
const RESERVED_BY_V8: u64 = 1024 * 1024 * 1024;

pub(crate) struct Sandbox {
    deno: PathBuf,
    /// Our own binary, whose launcher mode starts Deno.
    launcher: PathBuf,
    folder: PathBuf,
    limits: Limits,
    network: Network,
    walls: Walls,
    /// Whether `/tmp` is the process's own folder.
    private_tmp: bool,
}

impl Sandbox {
    /// Finds out which walls this machine has, says which it has not, and prepares what processes share.
    pub(crate) fn prepare(options: &RuntimeOptions) -> io::Result<Sandbox> {
        let walls = walls::find(&options.launcher)?;
        let deno = options.deno.canonicalize()?;
        // What lies below /tmp would be gone from sight.
        let needs_tmp = [&deno, &options.folder]
            .iter()
            .any(|path| path.starts_with(TMP));
        let private_tmp = walls.mounts != Mounts::None && !needs_tmp;
        if let Some(missing) = walls::missing(walls, private_tmp, &options.network) {
            tracing::warn!("{missing}");
        }
        let sandbox = Sandbox {
            deno,
            launcher: options.launcher.clone(),
            folder: options.folder.clone(),
            limits: options.limits,
            network: options.network.clone(),
            walls,
            private_tmp,
        };
        std::fs::create_dir_all(sandbox.packages())?;
        assets::write_harness(&sandbox.harness())?;
        sandbox.network.write_ca(&sandbox.harness())?;
        if walls.landlock {
            warm_up::fill_code_cache(&sandbox);
        }
        Ok(sandbox)
    }

    /// Published packages, for all to read.
    pub(crate) fn packages(&self) -> PathBuf {
        self.folder.join("packages")
    }

    pub(crate) fn harness(&self) -> PathBuf {
        self.folder.join("harness")
    }

    /// Deno's cache of compiled code, shared where Landlock keeps processes from writing it: one must not change code that
    /// another one runs, nor leave it messages.
    fn deno_dir(&self, folder: &InstanceFolder) -> PathBuf {
        let owner = if self.walls.landlock {
            &self.folder
        } else {
            &folder.0
        };
        owner.join("deno-dir")
    }

    /// Where the process finds its temporary folder.
    pub(crate) fn visible_tmp(&self, folder: &InstanceFolder) -> PathBuf {
        if self.private_tmp {
            PathBuf::from(TMP)
        } else {
            folder.tmp()
        }
    }

    /// The command that starts an empty process in `folder`.
    pub(crate) fn command(&self, folder: &InstanceFolder, preload: Preload) -> Command {
        self.command_inside(folder, &self.confinement(folder), preload)
    }

    fn confinement(&self, folder: &InstanceFolder) -> Confinement {
        Confinement {
            server: std::process::id(),
            walls: self.walls,
            executable: vec![self.deno.clone()],
            readable: vec![
                folder.0.clone(),
                self.harness(),
                self.packages(),
                self.deno_dir(folder),
            ],
            writable: vec![folder.tmp()],
            private_tmp: self.private_tmp.then(|| folder.tmp()),
            working_folder: self.visible_tmp(folder),
            connect_ports: self.network.connect_ports(),
            ipv6: self.network.allows_ipv6(),
            udp: self.network.allows_udp(),
            data_bytes: self.limits.memory_bytes.saturating_add(RESERVED_BY_V8),
        }
    }

    fn command_inside(
        &self,
        folder: &InstanceFolder,
        confinement: &Confinement,
        preload: Preload,
    ) -> Command {
        let mut command = self.deno_command(folder, confinement, "run");
        command
            .arg("--quiet")
            .arg(self.harness().join(assets::ENTRY))
            .args(preload.argument())
            .stdin(Stdio::piped());
        command
    }

    /// The command that runs the tests in `file`, for a component in `folder`.
    pub(crate) fn test_command(
        &self,
        folder: &InstanceFolder,
        file: &Path,
        report: TestReport,
    ) -> Command {
        let mut command = self.deno_command(folder, &self.confinement(folder), "test");
        command
            .arg("--no-check")
            .arg(format!("--reporter={}", report.reporter()))
            .arg(path_flag(
                "--import-map",
                &self.harness().join(assets::TEST_IMPORTS),
            ))
            .arg(path_flag(
                "--preload",
                &self.harness().join(assets::TEST_SETUP),
            ))
            .arg(file)
            .arg("--")
            .arg(harness_limits(&self.limits))
            .stdin(Stdio::null());
        if report.is_coloured() {
            command.env_remove("NO_COLOR").env("FORCE_COLOR", "1");
        }
        command
    }

    /// Deno behind its walls, with everything but the program that it runs.
    fn deno_command(
        &self,
        folder: &InstanceFolder,
        confinement: &Confinement,
        subcommand: &str,
    ) -> Command {
        let tmp = self.visible_tmp(folder);
        let mut command = Command::new(&self.launcher);
        command
            .arg(launcher::SUBCOMMAND)
            .arg(serde_json::to_string(confinement).unwrap_or_default())
            .arg(&self.deno)
            .args([subcommand, "--no-prompt", "--no-config", "--no-lock"])
            // Nothing is fetched. Not --no-npm, which also takes Node's built-in modules by their bare names away.
            .args(["--no-remote", "--cached-only", "--node-modules-dir=manual"])
            .args(["--location", "http://localhost/"])
            .arg(format!(
                "--v8-flags=--max-old-space-size={}",
                self.limits.heap_mb
            ))
            .arg("--allow-env")
            .arg(format!("--allow-sys={SYSTEM_FACTS}"))
            .arg(paths_flag(
                "--allow-read",
                &[&folder.0, &tmp, &self.packages()],
            ))
            .arg(paths_flag("--allow-write", &[&folder.tmp(), &tmp]))
            .args(self.network.flags(&self.harness()))
            .env_clear()
            .envs(self.network.environment())
            .env("TMPDIR", &tmp)
            .env("STASH_DIR", tmp.join(STASH))
            .env("DENO_DIR", self.deno_dir(folder))
            .env("NO_COLOR", "1")
            .env("DENO_NO_UPDATE_CHECK", "1")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
    }
}

fn path_flag(flag: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(flag);
    argument.push("=");
    argument.push(path);
    argument
}

/// A flag with a list of paths, in which a comma of a path's own is doubled.
fn paths_flag(flag: &str, paths: &[&Path]) -> OsString {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let mut argument = flag.as_bytes().to_vec();
    for (at, path) in paths.iter().enumerate() {
        argument.push(if at == 0 { b'=' } else { b',' });
        for &byte in path.as_os_str().as_bytes() {
            argument.extend(std::iter::repeat_n(byte, if byte == b',' { 2 } else { 1 }));
        }
    }
    OsString::from_vec(argument)
}
