//! npm packages that unpack to more than their size suggests, or to other places.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Answer, Archive, receiver::Receiver, wait_for};

use crate::{
    packages::Shop,
    sandbox::manual,
    support::{PATIENCE, deploy, own_server},
};

const MEGABYTE: u64 = 1 << 20;

/// A server with low limits for packages, and a registry.
async fn small_shop() -> Shop {
    let flags = ["--max-package-size", "4MiB", "--max-package-files", "500"];
    let shop = Shop::with(own_server().args(flags)).await;
    let sound = [("index.js", "module.exports = 'sound';")];
    shop.registry.publish("sound", "1.0.0", json!({}), &sound);
    shop
}

fn runtime(shop: &Shop, folder: &str) -> PathBuf {
    shop.server.data_dir().join("runtime").join(folder)
}

/// The response to code that requires a package.
async fn answer(shop: &Shop, package: &str) -> Answer {
    let code = format!("require('sound'); require('{package}');\n{}", manual(""));
    let body = json!({ "component_code": code });
    shop.server.api().post("/components", &body).await
}

/// The error of code that requires a package.
async fn refusal(shop: &Shop, package: &str) -> String {
    let answer = answer(shop, package).await.expect(422);
    let error = &answer["details"]["component_code"][0];
    error.as_str().expect("an error").to_owned()
}

/// Nothing of a package is left, and others can still be used.
async fn goes_on_without(shop: &Shop, package: &str) {
    wait_for(PATIENCE, "the removal of the folder", async || {
        let staging = fs::read_dir(runtime(shop, "package-cache/staging"));
        (staging.expect("a folder").count() == 0).then_some(())
    })
    .await;
    let installed = fs::read_dir(runtime(shop, "packages"));
    assert_eq!(installed.expect("a folder").count(), 0);
    let registries = fs::read_dir(runtime(shop, "package-cache/npm/npm")).expect("a cache");
    let mut registries = registries.map(|registry| registry.expect("an entry").path());
    let registry = registries.find(|registry| registry.is_dir());
    let cached = registry.expect("a registry").join(package);
    let cached = fs::read_dir(cached).expect("its metadata").flatten();
    let versions: Vec<_> = cached.filter(|entry| entry.path().is_dir()).collect();
    assert!(versions.is_empty(), "{versions:?}");
    runs(shop, "sound").await;
}

async fn runs(shop: &Shop, package: &str) {
    let code = manual(&format!("this.$emit(require('{package}'))"));
    let source = deploy(&shop.server.api(), &code).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [package]);
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
    let shop = small_shop().await;
    shop.registry.publish_archive("bomb", "1.0.0", archive);
    let expected = format!("the packages bomb, sound cannot be used: {excess}");
    assert_eq!(refusal(&shop, "bomb").await, expected);
    goes_on_without(&shop, "bomb").await;
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
    let shop = small_shop().await;
    shop.registry.publish_archive("bomb", "1.0.0", archive);
    shop.registry
        .publish("slow", "1.0.0", json!({}), &[("index.js", "")]);
    shop.registry.hold_downloads("slow");
    let error = refusal(&shop, "bomb'); require('slow").await;
    assert!(error.contains(limit), "{error}");
    goes_on_without(&shop, "bomb").await;
}

#[tokio::test]
async fn paths_and_links_in_a_package_lead_nowhere_else() {
    let shop = small_shop().await;
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
        answer(&shop, name).await.expect(503);
    }
    let linked = package("linked")
        .link("package/link", &target)
        .link("package/up", "../../../../../..")
        .file("package/link/escaped", b"x")
        .file("package/up/escaped", b"x");
    shop.registry.publish_archive("linked", "1.0.0", linked);
    runs(&shop, "linked").await;
    assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 0);
    assert!(!Path::new("/tmp/escaped").exists());
    let escaped = files_called("escaped", shop.server.data_dir());
    let is_own = |path: &PathBuf| path.components().any(|part| part.as_os_str() == "linked");
    assert!(escaped.iter().all(is_own), "{escaped:?}");
    runs(&shop, "sound").await;
}

/// The installer may reach the registry, although its address is private, and no other private address.
#[tokio::test]
async fn a_tarball_at_a_private_address_is_not_fetched() {
    let shop = small_shop().await;
    let private = Receiver::counting();
    let dist = json!({ "dist": { "tarball": private.url("/thief.tgz") } });
    shop.registry
        .publish("thief", "1.0.0", dist, &[("index.js", "")]);
    answer(&shop, "thief").await.expect(503);
    assert_eq!(private.count(), 0);
    let own = format!("{}/v1/users/me", shop.server.url());
    let dist = json!({ "dist": { "tarball": own } });
    shop.registry
        .publish("self", "1.0.0", dist, &[("index.js", "")]);
    answer(&shop, "self").await.expect(503);
    runs(&shop, "sound").await;
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
