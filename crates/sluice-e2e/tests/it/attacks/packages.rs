//! npm packages that unpack to more than their size suggests, or to other places.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Archive, Registry, Server, wait_for};

use crate::{
    sandbox::manual,
    support::{PATIENCE, deploy, own_server},
};

const MEGABYTE: u64 = 1 << 20;

/// A server with low limits for packages, and a registry.
struct Shop {
    registry: Registry,
    server: Server,
}

impl Shop {
    async fn open() -> Shop {
        let registry = Registry::start();
        let flags = ["--max-package-size", "4MiB", "--max-package-files", "500"];
        let server = Server::start(own_server().registry(&registry).args(flags)).await;
        let sound = [("index.js", "module.exports = 'sound';")];
        registry.publish("sound", "1.0.0", json!({}), &sound);
        Shop { registry, server }
    }

    fn runtime(&self, folder: &str) -> PathBuf {
        self.server.data_dir().join("runtime").join(folder)
    }

    /// The error of code that requires a package.
    async fn refusal(&self, package: &str) -> String {
        let code = format!("require('sound'); require('{package}');\n{}", manual(""));
        let body = json!({ "component_code": code });
        let answer = self.server.api().post("/components", &body).await;
        let answer = answer.expect(422);
        let error = &answer["details"]["component_code"][0];
        error.as_str().expect("an error").to_owned()
    }

    /// Nothing of a package is left, and others can still be used.
    async fn goes_on_without(&self, package: &str) {
        wait_for(PATIENCE, "the removal of the folder", async || {
            let staging = fs::read_dir(self.runtime("package-cache/staging"));
            (staging.expect("a folder").count() == 0).then_some(())
        })
        .await;
        let installed = fs::read_dir(self.runtime("packages"));
        assert_eq!(installed.expect("a folder").count(), 0);
        let registries = fs::read_dir(self.runtime("package-cache/npm/npm")).expect("a cache");
        let mut registries = registries.map(|registry| registry.expect("an entry").path());
        let registry = registries.find(|registry| registry.is_dir());
        let cached = registry.expect("a registry").join(package);
        let cached = fs::read_dir(cached).expect("its metadata").flatten();
        let versions: Vec<_> = cached.filter(|entry| entry.path().is_dir()).collect();
        assert!(versions.is_empty(), "{versions:?}");
        self.runs("sound").await;
    }

    async fn runs(&self, package: &str) {
        let code = manual(&format!("this.$emit(require('{package}'))"));
        let source = deploy(&self.server.api(), &code).await;
        source.run(json!({})).await;
        assert_eq!(source.events(1).await, [package]);
    }
}

/// An archive with what every package has.
fn package(name: &str) -> Archive {
    let manifest = json!({ "name": name, "version": "1.0.0" }).to_string();
    let code = format!("module.exports = '{name}';");
    Archive::compressed()
        .file("package/package.json", manifest.as_bytes())
        .file("package/index.js", code.as_bytes())
}

fn huge(name: &str) -> Archive {
    let huge = |archive: Archive, n| archive.zeros(&format!("package/{n}"), 4 * MEGABYTE);
    (0..8).fold(package(name), huge)
}

fn many(name: &str) -> Archive {
    let many = |archive: Archive, n| archive.file(&format!("package/{n}"), b"");
    (0..2000).fold(package(name), many)
}

fn deep(name: &str) -> Archive {
    package(name).file(&format!("package/{}file", "d/".repeat(200)), b"deep")
}

#[rstest]
#[case::size(huge("bomb"), "they unpack to more than 4 MB (limit max-package-size)")]
#[case::files(
    many("bomb"),
    "they have more than 500 files and folders (limit max-package-files)"
)]
#[case::depth(
    deep("bomb"),
    "their folders are nested more than 64 levels deep (limit max-package-depth)"
)]
#[tokio::test]
async fn a_package_that_unpacks_beyond_a_limit_is_refused_and_leaves_nothing(
    #[case] archive: Archive,
    #[case] excess: &str,
) {
    let shop = Shop::open().await;
    shop.registry.publish_archive("bomb", "1.0.0", archive);
    let expected = format!("the packages bomb, sound cannot be used: {excess}");
    assert_eq!(shop.refusal("bomb").await, expected);
    shop.goes_on_without("bomb").await;
}

/// The installer would wait for another package for minutes.
#[rstest]
#[case::size(huge("bomb"), "max-package-size")]
#[case::files(many("bomb"), "max-package-files")]
#[case::depth(deep("bomb"), "max-package-depth")]
#[tokio::test]
async fn an_installer_is_stopped_while_it_exceeds_a_limit(
    #[case] archive: Archive,
    #[case] limit: &str,
) {
    let shop = Shop::open().await;
    shop.registry.publish_archive("bomb", "1.0.0", archive);
    shop.registry
        .publish("slow", "1.0.0", json!({}), &[("index.js", "")]);
    shop.registry.hold_downloads("slow");
    let error = shop.refusal("bomb'); require('slow").await;
    assert!(error.contains(limit), "{error}");
    shop.goes_on_without("bomb").await;
}

#[tokio::test]
async fn paths_and_links_in_a_package_lead_nowhere_else() {
    let shop = Shop::open().await;
    let outside = sluice_testkit::scratch_folder();
    let target = outside.path().display().to_string();
    let up = format!("package/{}", "../".repeat(12));
    for (name, archive) in [
        (
            "dots",
            package("dots").file_anywhere(&format!("{up}tmp/escaped"), b"x"),
        ),
        (
            "near",
            package("near").file_anywhere("package/../../escaped", b"x"),
        ),
        (
            "rooted",
            package("rooted").file_anywhere(&format!("{target}/escaped"), b"x"),
        ),
    ] {
        shop.registry.publish_archive(name, "1.0.0", archive);
        let code = format!("require('{name}');\n{}", manual(""));
        let body = json!({ "component_code": code });
        shop.server
            .api()
            .post("/components", &body)
            .await
            .expect(503);
    }
    let linked = package("linked")
        .link("package/link", &target)
        .link("package/up", "../../../../../..")
        .file("package/link/escaped", b"x")
        .file("package/up/escaped", b"x");
    shop.registry.publish_archive("linked", "1.0.0", linked);
    shop.runs("linked").await;
    assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 0);
    assert!(!Path::new("/tmp/escaped").exists());
    let escaped = files_called("escaped", shop.server.data_dir());
    let is_own = |path: &PathBuf| path.components().any(|part| part.as_os_str() == "linked");
    assert!(escaped.iter().all(is_own), "{escaped:?}");
    shop.runs("sound").await;
}

/// All files of a name below a folder. Links are not followed.
fn files_called(name: &str, folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder {
                folders.push(entry.path());
            } else if entry.file_name() == name {
                found.push(entry.path());
            }
        }
    }
    found
}
