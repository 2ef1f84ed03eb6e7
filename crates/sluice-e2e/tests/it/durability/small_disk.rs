//! A server whose data folder is a small disk of its own.
//!
//! The server is started in a mount namespace with a tmpfs over its data folder, so the disk goes when the server does,
//! and no test leaves a mount behind. From outside the disk is seen through `/proc/<pid>/root`.

use std::{
    fs::{self, OpenOptions, Permissions},
    io::Write,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use sluice_testkit::{Server, ServerOptions, sluice_binary};
use tempfile::TempDir;

const SIZE: &str = "48m";

pub(super) struct SmallDisk {
    pub(super) server: Server,
    /// The disk, as seen from outside.
    root: PathBuf,
    _folder: TempDir,
}

impl SmallDisk {
    pub(super) async fn start(args: &[&str]) -> SmallDisk {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let data_dir = folder.path().join("disk");
        fs::create_dir(&data_dir).expect("an empty folder");
        let launcher = launcher(folder.path(), &data_dir);
        let options = ServerOptions::new(launcher).data_dir(&data_dir);
        let server = Server::start(args.iter().fold(options, ServerOptions::arg)).await;
        let seen = data_dir.strip_prefix("/").expect("an absolute path");
        let root = Path::new("/proc")
            .join(server.pid().to_string())
            .join("root")
            .join(seen);
        SmallDisk {
            server,
            root,
            _folder: folder,
        }
    }

    /// Takes all that is left; also again, when something was given back.
    pub(super) fn fill(&self) {
        let opened = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.filler());
        let mut file = opened.expect("a file of ours");
        for size in [64 * 1024, 1] {
            let zeros = vec![0; size];
            while file.write_all(&zeros).is_ok() {}
        }
    }

    pub(super) fn make_room(&self) {
        fs::remove_file(self.filler()).expect("the disk was filled");
    }

    fn filler(&self) -> PathBuf {
        self.root.join("filler")
    }
}

/// A program that is `sluice` with a small disk. Only root may mount; others are root in a user namespace.
fn launcher(folder: &Path, data_dir: &Path) -> PathBuf {
    let namespaces = if rustix::process::geteuid().is_root() {
        "--mount"
    } else {
        "--user --map-root-user --mount"
    };
    let script = format!(
        "#!/bin/sh\nexec unshare {namespaces} sh -c \
         'mount -t tmpfs -o size={SIZE},mode=700 sluice-test \"$0\" && exec \"$@\"' '{}' '{}' \"$@\"\n",
        data_dir.display(),
        sluice_binary().display(),
    );
    let path = folder.join("sluice-on-a-small-disk");
    fs::write(&path, script).expect("a new file");
    fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("our own file");
    path
}
