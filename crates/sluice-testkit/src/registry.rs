//! An npm registry on loopback, for servers under test. It serves packages that a test publishes, and those that the
//! repository has installed for its tests.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    env, fs,
    io::{self, BufRead, BufReader, Write},
    net::{Shutdown, TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use base64::{Engine, prelude::BASE64_STANDARD};
use parking_lot::Mutex;
use serde_json::{Value, json};
use sha2::{Digest, Sha512};

use crate::archive::Archive;

/// The environment variable with the URL of the registry that test processes share.
pub(crate) const URL: &str = "SLUICE_TEST_REGISTRY_URL";

/// A registry that a test can publish to and stop, and that counts downloads.
#[derive(Debug, Clone)]
pub struct Registry {
    url: String,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    packages: Mutex<BTreeMap<String, BTreeMap<String, Published>>>,
    fetched: Mutex<HashMap<String, usize>>,
    down: AtomicBool,
    held: Mutex<HashSet<String>>,
}

#[derive(Debug, Clone)]
struct Published {
    manifest: Value,
    contents: Contents,
    /// Created on first use.
    tarball: Arc<OnceLock<Tarball>>,
}

#[derive(Debug)]
struct Tarball {
    bytes: Vec<u8>,
    integrity: String,
}

/// The content of the tarball.
#[derive(Debug, Clone)]
enum Contents {
    Files(Vec<(String, String)>),
    Folder(PathBuf),
    Archive(Vec<u8>),
}

impl Registry {
    /// An empty registry.
    pub fn start() -> Registry {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener
            .local_addr()
            .expect("a bound listener has an address");
        let shared = Arc::new(Shared::default());
        let registry = Registry {
            url: format!("http://{address}"),
            shared,
        };
        let serving = registry.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let registry = serving.clone();
                thread::spawn(move || registry.answer(stream));
            }
        });
        registry
    }

    /// The registry of this test process: it has the packages in the repository's `node_modules`.
    pub fn installed() -> &'static Registry {
        static INSTALLED: OnceLock<Registry> = OnceLock::new();
        INSTALLED.get_or_init(|| {
            let registry = Registry::start();
            registry.publish_folder(&node_modules());
            registry
        })
    }

    /// The URL of a registry with the packages in the repository's `node_modules`, shared if there is a broker.
    pub(crate) fn installed_url() -> String {
        env::var(URL).unwrap_or_else(|_| Registry::installed().url().to_owned())
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Publishes a package with additional fields of its `package.json` and its files. The field `dist.tarball` says that its
    /// tarball is elsewhere.
    pub fn publish(&self, name: &str, version: &str, fields: Value, files: &[(&str, &str)]) {
        let mut manifest = json!({ "name": name, "version": version });
        if let (Some(manifest), Value::Object(fields)) = (manifest.as_object_mut(), fields) {
            manifest.extend(fields);
        }
        let mut all = vec![("package.json".to_owned(), manifest.to_string())];
        all.extend(
            files
                .iter()
                .map(|(path, text)| ((*path).to_owned(), (*text).to_owned())),
        );
        self.add(manifest, Contents::Files(all));
    }

    /// Publishes a package whose tarball is `archive`. Paths in it begin with `package/`.
    pub fn publish_archive(&self, name: &str, version: &str, archive: Archive) {
        let manifest = json!({ "name": name, "version": version });
        self.add(manifest, Contents::Archive(archive.finish()));
    }

    /// From now on does not answer requests for the tarballs of a package.
    pub fn hold_downloads(&self, name: &str) {
        self.shared.held.lock().insert(name.to_owned());
    }

    /// The number of downloads of the tarballs of a package.
    pub fn downloads(&self, name: &str) -> usize {
        let fetched = self.shared.fetched.lock();
        let prefix = format!("/{name}/-/");
        fetched
            .iter()
            .filter(|(path, _)| path.starts_with(&prefix))
            .map(|(_, count)| count)
            .sum()
    }

    /// From now on closes every connection without a response, or serves requests again.
    pub fn set_down(&self, down: bool) {
        self.shared.down.store(down, Ordering::SeqCst);
    }

    fn add(&self, manifest: Value, contents: Contents) {
        let text = |field: &str| manifest[field].as_str().unwrap_or_default().to_owned();
        let (name, version) = (text("name"), text("version"));
        let published = Published {
            manifest,
            contents,
            tarball: Arc::default(),
        };
        let mut packages = self.shared.packages.lock();
        packages.entry(name).or_default().insert(version, published);
    }

    /// All packages in a `node_modules` folder, including nested ones.
    fn publish_folder(&self, modules: &Path) {
        let Ok(entries) = modules.read_dir() else {
            return;
        };
        for entry in entries.flatten() {
            let folder = entry.path();
            if entry.file_name().to_string_lossy().starts_with('@') {
                self.publish_folder(&folder);
            } else if let Ok(text) = fs::read_to_string(folder.join("package.json")) {
                let manifest: Value = serde_json::from_str(&text).expect("a package.json is JSON");
                self.add(manifest, Contents::Folder(folder.clone()));
                self.publish_folder(&folder.join("node_modules"));
            }
        }
    }

    fn answer(&self, stream: TcpStream) {
        if self.shared.down.load(Ordering::SeqCst) {
            let _ = stream.shutdown(Shutdown::Both);
            return;
        }
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if !matches!(reader.read_line(&mut head), Ok(1..)) {
                return;
            }
        }
        let path = head
            .split(' ')
            .nth(1)
            .unwrap_or_default()
            .replace("%2f", "/")
            .replace("%2F", "/");
        *self.shared.fetched.lock().entry(path.clone()).or_default() += 1;
        while self.is_held(&path) {
            thread::park();
        }
        let (status, body) = match self.find(&path) {
            Some(body) => ("200 OK", body),
            None => ("404 Not Found", b"{}".to_vec()),
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        // Errors are ignored, because a client may disconnect early.
        let _ = reader
            .get_mut()
            .write_all(&[head.as_bytes(), &body].concat());
    }

    fn is_held(&self, path: &str) -> bool {
        let package = path.trim_start_matches('/').split_once("/-/");
        package.is_some_and(|(name, _)| self.shared.held.lock().contains(name))
    }

    fn find(&self, path: &str) -> Option<Vec<u8>> {
        let path = path.trim_start_matches('/');
        let packages = self.shared.packages.lock();
        if let Some((name, file)) = path.split_once("/-/") {
            let version = file.strip_suffix(".tgz")?;
            let published = packages.get(name)?.get(version)?.clone();
            drop(packages);
            return Some(published.tarball().bytes.clone());
        }
        let versions = packages.get(path)?.clone();
        drop(packages);
        Some(self.description(path, &versions).to_string().into_bytes())
    }

    fn description(&self, name: &str, versions: &BTreeMap<String, Published>) -> Value {
        let mut rows = serde_json::Map::new();
        for (version, published) in versions {
            let mut row = published.manifest.clone();
            let elsewhere = row["dist"]["tarball"].as_str().map(str::to_owned);
            let here = || format!("{}/{name}/-/{version}.tgz", self.url);
            row["dist"] = json!({
                "tarball": elsewhere.unwrap_or_else(here),
                "integrity": published.tarball().integrity,
            });
            rows.insert(version.clone(), row);
        }
        let latest = versions.keys().max_by_key(|version| numbers(version));
        json!({ "name": name, "dist-tags": { "latest": latest }, "versions": rows })
    }
}

impl Published {
    fn tarball(&self) -> &Tarball {
        self.tarball.get_or_init(|| {
            let bytes = self.packed();
            let hash = BASE64_STANDARD.encode(Sha512::digest(&bytes));
            let integrity = format!("sha512-{hash}");
            Tarball { bytes, integrity }
        })
    }

    fn packed(&self) -> Vec<u8> {
        let files: Vec<(String, Vec<u8>)> = match &self.contents {
            Contents::Archive(bytes) => return bytes.clone(),
            Contents::Files(files) => files
                .iter()
                .map(|(path, text)| (path.clone(), text.clone().into_bytes()))
                .collect(),
            Contents::Folder(folder) => {
                let mut files = Vec::new();
                collect(folder, "", &mut files).expect("an installed package can be read");
                files
            }
        };
        let pack = |archive: Archive, (path, bytes): &(String, Vec<u8>)| {
            archive.file(&format!("package/{path}"), bytes)
        };
        files.iter().fold(Archive::stored(), pack).finish()
    }
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    for entry in folder.read_dir()? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = entry.path();
        if path.is_dir() && name != "node_modules" {
            collect(&path, &format!("{prefix}{name}/"), files)?;
        } else if path.is_file() {
            files.push((format!("{prefix}{name}"), fs::read(&path)?));
        }
    }
    Ok(())
}

/// The sort key of plain versions.
fn numbers(version: &str) -> Vec<u64> {
    let core = version.split(['-', '+']).next().unwrap_or_default();
    core.split('.')
        .map(|part| part.parse().unwrap_or(0))
        .collect()
}

/// The `node_modules` of this repository.
fn node_modules() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest.join("../../node_modules")
}
