//! The sandbox of a component process: its folders, flags, environment and protections.
//!
//! None of it depends on the component, so that processes can be started ahead.

mod child;
mod code_cache;
mod component_users;
mod egress_proxy;
mod exceptions;
mod installer;
pub(crate) mod network;
mod own_addresses;
mod protections;

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
};

pub(crate) use child::SandboxedChild;
pub use egress_proxy::EgressProxy;
pub use exceptions::Exceptions;
pub(crate) use installer::{Install, Reach};
pub use network::{Network, PrivateNetworks};
pub use own_addresses::own_addresses;
pub use protections::probe_protections;

use self::code_cache::CodeCache;
use crate::{
    assets,
    broker::Guard,
    channel::{FROM_HARNESS, TO_HARNESS},
    component_users::SystemUser,
    deno_process::{InstanceFolder, STASH},
    harness_limits::harness_limits,
    launcher::{self, Confinement, Landlock, Namespaces, Protections},
    limits::Limits,
    options::{DenoPermissions, RuntimeOptions},
    preload::Preload,
    test_spec::TestReport,
};

const SYSTEM_FACTS: &str = "osRelease,homedir,hostname,cpus,uid,gid,userInfo,systemMemoryInfo";
const TMP: &str = "/tmp";
/// Address space that V8 reserves and hardly uses.
const RESERVED_BY_V8: u64 = 1024 * 1024 * 1024;

pub(crate) struct Sandbox {
    deno: PathBuf,
    /// The `sluice` binary, whose launcher mode starts Deno.
    launcher: PathBuf,
    folder: PathBuf,
    limits: Limits,
    network: Network,
    guard: Arc<Guard>,
    protections: Protections,
    deno_permissions: DenoPermissions,
    /// Whether each process has its own `/tmp`.
    private_tmp: bool,
    code_cache: CodeCache,
}

impl Sandbox {
    /// Probes the protections of this machine, logs those that are missing, and prepares the shared folders.
    pub(crate) fn prepare(options: &RuntimeOptions) -> io::Result<Sandbox> {
        let protections = protections::probe_protections(&options.launcher)?;
        let deno = options.deno.canonicalize()?;
        // A private /tmp would hide them.
        let needs_tmp = [&deno, &options.folder]
            .iter()
            .any(|path| path.starts_with(TMP));
        let private_tmp = protections.namespaces != Namespaces::None && !needs_tmp;
        if let Some(missing) = protections::missing(protections, private_tmp, &options.network) {
            tracing::warn!(missing, "sandbox is incomplete");
        }
        let sandbox = Sandbox {
            deno,
            launcher: options.launcher.clone(),
            folder: options.folder.clone(),
            limits: options.limits,
            network: options.network.clone(),
            guard: Arc::new(options.network.guard()),
            protections,
            deno_permissions: options.deno_permissions,
            private_tmp,
            code_cache: CodeCache::in_folder(options.folder.join("deno-dir")),
        };
        std::fs::create_dir_all(sandbox.packages())?;
        assets::write_harness(&sandbox.harness())?;
        sandbox.network.write_ca(&sandbox.harness())?;
        match options.users {
            Some(users) => sandbox.check_users(users)?,
            None if rustix::process::geteuid().is_root() => {
                tracing::warn!(
                    "components run as root, without its privileges; set --component-uids to give them users of their own"
                );
            }
            None => {}
        }
        Ok(sandbox)
    }

    pub(crate) fn deno(&self) -> &Path {
        &self.deno
    }

    pub(crate) fn has_landlock(&self) -> bool {
        self.protections.landlock != Landlock::None
    }

    /// Installed packages, which all processes may read.
    pub(crate) fn packages(&self) -> PathBuf {
        self.folder.join("packages")
    }

    pub(crate) fn harness(&self) -> PathBuf {
        self.folder.join("harness")
    }

    pub(crate) fn code_cache(&self) -> &CodeCache {
        &self.code_cache
    }

    /// Where Deno looks for compiled code. Under Landlock the private folder does not exist and cannot be made.
    fn deno_dir(&self, folder: &InstanceFolder) -> PathBuf {
        let cache = self.code_cache.filled().map(Path::to_owned);
        cache.unwrap_or_else(|| folder.path().join("deno-dir"))
    }

    /// The path of the temporary folder inside of the sandbox.
    pub(crate) fn visible_tmp(&self, folder: &InstanceFolder) -> PathBuf {
        if self.private_tmp {
            PathBuf::from(TMP)
        } else {
            folder.tmp()
        }
    }

    /// The command that starts an empty process in `folder`.
    pub(crate) fn command(&self, folder: &InstanceFolder, preload: Preload) -> Command {
        self.command_inside(folder, &self.harness_confinement(folder), preload)
    }

    /// The confinement of a process with a harness, which opens its channel.
    pub(crate) fn harness_confinement(&self, folder: &InstanceFolder) -> Confinement {
        Confinement {
            writable_pipe: Some(folder.path().join(FROM_HARNESS)),
            ..self.confinement(folder)
        }
    }

    fn confinement(&self, folder: &InstanceFolder) -> Confinement {
        let bare = self.bare_confinement();
        let mut readable = bare.readable;
        readable.push(folder.path().to_owned());
        Confinement {
            readable,
            writable: vec![folder.tmp()],
            writable_mounts: vec![folder.tmp()],
            private_tmp: self.private_tmp.then(|| folder.tmp()),
            working_folder: self.visible_tmp(folder),
            user: folder.user().map(SystemUser::id),
            announcements: self.announcements(folder),
            ..bare
        }
    }

    /// The confinement of a process without a folder of its own.
    fn bare_confinement(&self) -> Confinement {
        Confinement {
            server: std::process::id(),
            protections: self.protections,
            executable: vec![self.deno.clone()],
            readable: [self.harness(), self.packages()]
                .into_iter()
                .chain(self.code_cache.filled().map(Path::to_owned))
                .collect(),
            writable: Vec::new(),
            writable_mounts: Vec::new(),
            writable_pipe: None,
            private_tmp: None,
            working_folder: self.harness(),
            user: None,
            revealed: vec![self.folder.clone(), self.deno.clone()],
            announcements: None,
            connect_ports: self.network.connect_ports(),
            ipv6: self.network.allows_ipv6(self.protections.broker),
            udp: self.network.allows_udp(),
            data_bytes: self.limits.memory_bytes.saturating_add(RESERVED_BY_V8),
        }
    }

    /// The pipe on which the launcher announces its listener to the broker.
    fn announcements(&self, folder: &InstanceFolder) -> Option<PathBuf> {
        let pipe = || folder.path().join("broker");
        self.protections.broker.then(pipe)
    }

    pub(crate) fn command_inside(
        &self,
        folder: &InstanceFolder,
        confinement: &Confinement,
        preload: Preload,
    ) -> Command {
        let mut command = self.deno_command(folder, confinement, "run");
        command
            .arg("--quiet")
            .arg(self.harness().join(assets::ENTRY))
            .args([TO_HARNESS, FROM_HARNESS].map(|name| folder.path().join(name)))
            .args(preload.argument());
        command
    }

    /// The command that runs the tests in `file`, in `folder`. `files` is the URL of the folder of all files.
    pub(crate) fn test_command(
        &self,
        folder: &InstanceFolder,
        file: &Path,
        files: &str,
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
            .arg(files);
        if report.is_coloured() {
            command.env_remove("NO_COLOR").env("FORCE_COLOR", "1");
        }
        command
    }

    /// Deno in the sandbox, without the program that it runs.
    fn deno_command(
        &self,
        folder: &InstanceFolder,
        confinement: &Confinement,
        subcommand: &str,
    ) -> Command {
        let tmp = self.visible_tmp(folder);
        let mut command = self.launcher_command(confinement, subcommand);
        command
            .args(["--no-prompt", "--no-config", "--no-lock"])
            // Nothing is fetched. --no-npm would also disable the built-in modules of Node by their bare names.
            .args(["--no-remote", "--cached-only", "--node-modules-dir=manual"])
            .args(["--location", "http://localhost/"])
            .arg(format!(
                "--v8-flags=--max-old-space-size={}",
                self.limits.heap_mb
            ))
            .args(self.permissions(folder, confinement))
            .args(self.network.trust(&self.harness()))
            .env_clear()
            .envs(self.network.environment())
            .env("TMPDIR", &tmp)
            .env("STASH_DIR", tmp.join(STASH))
            .env("DENO_DIR", self.deno_dir(folder))
            .env("NO_COLOR", "1")
            .env("DENO_NO_UPDATE_CHECK", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The launcher, which becomes Deno in a process group of its own.
    fn launcher_command(&self, confinement: &Confinement, subcommand: &str) -> Command {
        let mut command = Command::new(&self.launcher);
        command
            .arg(launcher::SUBCOMMAND)
            .arg(serde_json::to_string(confinement).unwrap_or_default())
            .arg(&self.deno)
            .arg(subcommand);
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
    }

    /// Deno's own checks.
    fn permissions(&self, folder: &InstanceFolder, confinement: &Confinement) -> Vec<OsString> {
        if self.deno_permissions == DenoPermissions::Off {
            return vec!["--allow-all".into()];
        }
        let tmp = self.visible_tmp(folder);
        let mut writable = vec![folder.tmp(), tmp.clone()];
        writable.extend(confinement.writable_pipe.clone());
        let mut flags = vec![
            "--allow-env".into(),
            format!("--allow-sys={SYSTEM_FACTS}").into(),
            paths_flag("--allow-read", &[folder.path(), &tmp, &self.packages()]),
            paths_flag("--allow-write", &writable),
        ];
        flags.extend(self.network.permissions());
        flags
    }
}

fn path_flag(flag: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(flag);
    argument.push("=");
    argument.push(path);
    argument
}

/// A flag with a list of paths. A comma in a path is doubled.
fn paths_flag(flag: &str, paths: &[impl AsRef<Path>]) -> OsString {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let mut argument = flag.as_bytes().to_vec();
    for (at, path) in paths.iter().enumerate() {
        argument.push(if at == 0 { b'=' } else { b',' });
        for &byte in path.as_ref().as_os_str().as_bytes() {
            argument.extend(std::iter::repeat_n(byte, if byte == b',' { 2 } else { 1 }));
        }
    }
    OsString::from_vec(argument)
}
