//! The S3 server of `s3_server.mjs`, and what is in it.

use std::{
    collections::BTreeMap,
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use flate2::read::GzDecoder;
use sluice_testkit::ServerOptions;
use tempfile::TempDir;

use super::node_server::NodeServer;
use crate::support::own_server;

/// How the server names the file of an object.
const SUFFIX: &str = "._S3rver_object";

pub(crate) struct S3Server {
    folder: TempDir,
    node: NodeServer,
}

impl S3Server {
    pub(crate) fn start() -> S3Server {
        let folder = tempfile::tempdir().expect("a folder");
        let node = NodeServer::start("s3_server.mjs", &[folder.path().as_os_str()]);
        S3Server { folder, node }
    }

    pub(crate) fn options(&self) -> ServerOptions {
        options(&self.node.address)
    }

    /// Options with which a server also writes here.
    pub(super) fn added_to(&self, options: ServerOptions) -> ServerOptions {
        writing_to(options, &self.node.address)
    }

    /// The lines of each object in the bucket, by key.
    pub(crate) fn objects(&self) -> BTreeMap<String, Vec<String>> {
        let bucket = self.folder.path().join("some-bucket");
        let mut files = Vec::new();
        collect(&bucket, &mut files);
        let object = |file: &PathBuf| {
            let key = file.strip_prefix(&bucket).ok()?.to_str()?;
            let key = key.strip_suffix(SUFFIX)?.to_owned();
            Some((key, lines(&fs::read(file).expect("an object"))))
        };
        files.iter().filter_map(object).collect()
    }
}

/// Options for a server that writes there.
pub(super) fn options(endpoint: &str) -> ServerOptions {
    let options = own_server().args(["--send-retries", "50ms,50ms"]);
    writing_to(options, endpoint)
}

fn writing_to(options: ServerOptions, endpoint: &str) -> ServerOptions {
    options
        .args(["--s3-endpoint", endpoint])
        .env("SLUICE_S3_ACCESS_KEY_ID", "S3RVER")
        .env("SLUICE_S3_SECRET_ACCESS_KEY", "S3RVER")
}

pub(super) fn lines(object: &[u8]) -> Vec<String> {
    let mut text = String::new();
    let mut content = GzDecoder::new(object);
    content.read_to_string(&mut text).expect("compressed text");
    text.lines().map(str::to_owned).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
