//! The sandbox of the installer of npm packages. It unpacks files that strangers wrote.

use std::{
    collections::HashSet,
    env,
    ffi::OsStr,
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
};

use ipnet::IpNet;
use parking_lot::Mutex;

use super::{Sandbox, SandboxedChild, child, network::PrivateNetworks};
use crate::{
    broker::{AllowedAddress, Guard},
    launcher::Confinement,
};

/// The certificates of this machine, and where variables name others.
const CERTIFICATES: [&str; 4] = [
    "/etc/ssl",
    "/etc/pki",
    "/usr/share/ca-certificates",
    "/usr/share/pki",
];
const CERTIFICATE_VARIABLES: [&str; 4] = [
    "DENO_CERT",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
];

/// The folders and addresses of one run of the installer.
pub(crate) struct Install<'a> {
    /// The folder of the install, which is in `shared` too.
    pub(crate) folder: &'a Path,
    /// The download cache.
    pub(crate) cache: &'a Path,
    /// A folder around both. They have one mount, so that they can share files.
    pub(crate) shared: &'a Path,
    /// The pipe for the broker.
    pub(crate) pipe: PathBuf,
    /// The operator's settings.
    pub(crate) settings: Option<PathBuf>,
    pub(crate) reach: Reach,
}

/// The addresses that the installer may reach.
pub(crate) enum Reach {
    /// Those that the operator's settings lead to, which are noted. No package is unpacked.
    Settings(Arc<Mutex<HashSet<SocketAddr>>>),
    /// Public ones, those that components may reach, and the noted ones. The metadata of a package names where its tarball is,
    /// and strangers write it.
    Noted(Vec<SocketAddr>),
}

impl Sandbox {
    /// Starts Deno as the package manager.
    pub(crate) fn spawn_installer(
        &self,
        install: &Install<'_>,
        arguments: &[&str],
    ) -> io::Result<SandboxedChild> {
        let confinement = self.installer_confinement(install);
        let mut command = self.launcher_command(&confinement, "install");
        command
            .arg("--node-modules-dir=auto")
            .args(arguments)
            .env("DENO_DIR", install.cache)
            .env("NO_COLOR", "1")
            .env("DENO_NO_UPDATE_CHECK", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        remove_secrets(&mut command);
        child::spawn(
            command,
            confinement.announcements,
            self.installer_guard(install),
        )
    }

    fn installer_confinement(&self, install: &Install<'_>) -> Confinement {
        let certificates = CERTIFICATES.iter().map(PathBuf::from);
        let named = CERTIFICATE_VARIABLES.iter().filter_map(env::var_os);
        let readable = certificates
            .chain(named.map(PathBuf::from))
            .chain(install.settings.clone());
        Confinement {
            readable: readable.filter(|path| path.exists()).collect(),
            writable: vec![install.folder.to_owned(), install.cache.to_owned()],
            writable_mounts: vec![install.shared.to_owned()],
            working_folder: install.folder.to_owned(),
            announcements: self.protections.broker.then(|| install.pipe.clone()),
            connect_ports: None,
            ipv6: true,
            udp: true,
            data_bytes: u64::MAX,
            ..self.bare_confinement()
        }
    }

    fn installer_guard(&self, install: &Install<'_>) -> Arc<Guard> {
        let PrivateNetworks::Blocked(exceptions) = &self.network.private else {
            return Arc::new(Guard::Anywhere);
        };
        Arc::new(match &install.reach {
            Reach::Settings(met) => Guard::Noting {
                own: exceptions.own(),
                met: Arc::clone(met),
            },
            Reach::Noted(addresses) => Guard::Public {
                own: exceptions.own(),
                allowed: exceptions
                    .allowed
                    .iter()
                    .cloned()
                    .chain(addresses.iter().map(exactly))
                    .collect(),
            },
        })
    }
}

fn exactly(address: &SocketAddr) -> AllowedAddress {
    AllowedAddress {
        range: IpNet::from(address.ip()),
        port: Some(address.port()),
    }
}

/// It gets the operator's settings for npm, but not the server's secrets.
fn remove_secrets(command: &mut Command) {
    let is_own = |name: &OsStr| name.to_string_lossy().starts_with("SLUICE_");
    for (name, _) in env::vars_os().filter(|(name, _)| is_own(name)) {
        command.env_remove(name);
    }
}
