//! Servers from npm packages, started with node; each prints its address when it is ready.

use std::{
    ffi::OsStr,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

pub(crate) struct NodeServer {
    pub(crate) address: String,
    child: Child,
}

impl NodeServer {
    pub(crate) fn start(script: &str, args: &[&OsStr]) -> NodeServer {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/workflows/sends");
        let mut child = Command::new("node")
            .arg(folder.join(script))
            .args(args)
            // It ends when its standard input does, at the latest when this process is gone.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node can be started");
        let mut address = String::new();
        BufReader::new(child.stdout.as_mut().expect("a pipe"))
            .read_line(&mut address)
            .expect("its address");
        assert!(
            !address.is_empty(),
            "`make deno` installs {script}'s package"
        );
        NodeServer {
            address: address.trim().to_owned(),
            child,
        }
    }
}

impl Drop for NodeServer {
    fn drop(&mut self) {
        // It fails only when the server has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
