//! `sluice publish` and `sluice unpublish`.

use serde_json::Value;
use sluice_testkit::Backend;

use super::fixtures::{Cli, Folder};
use crate::support::{shared_server, unique_name};

fn component(key: &str, version: &str) -> String {
    format!(
        "import {{ name }} from \"./name.mjs\";\nexport default {{ name, key: \"{key}\", version: \"{version}\", run() {{}} }};\n"
    )
}

fn folder(key: &str, version: &str) -> Folder {
    Folder::with(&[
        ("order.mjs", &component(key, version)),
        ("name.mjs", "export const name = \"Order\";\n"),
    ])
}

#[tokio::test]
async fn a_file_is_published_with_what_it_imports_and_the_same_version_is_refused() {
    let cli = Cli::new().await;
    let folder = folder("order", "1.0.0");
    let file = folder.join("order.mjs");
    let file = file.to_str().unwrap();
    assert_eq!(cli.ok(&["publish", file]).await, "Published order 1.0.0\n");
    let ran = cli.run(&["publish", file]).await;
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("1.0.0 is already published"),
        "{}",
        ran.err
    );

    folder.put("order.mjs", &component("order", "1.1.0"));
    let told: Value = serde_json::from_str(&cli.ok(&["publish", file, "--json"]).await).unwrap();
    assert_eq!(
        (&told["key"], &told["version"]),
        (&"order".into(), &"1.1.0".into())
    );
    let ran = cli.run(&["publish", file, "--json"]).await;
    assert_eq!(ran.code, 1);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(told["error"].as_str().unwrap().contains("1.1.0"), "{told}");
}

#[tokio::test]
async fn what_cannot_be_published_says_why() {
    let cli = Cli::new().await;
    let folder = folder("no plain key", "1.0.0");
    let file = folder.join("order.mjs");
    let ran = cli.run(&["publish", file.to_str().unwrap()]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("key"), "{}", ran.err);
    folder.remove("name.mjs");
    let ran = cli.run(&["publish", file.to_str().unwrap()]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("./name.mjs"), "{}", ran.err);
    let ran = cli.run(&["publish", "/nowhere.mjs"]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("/nowhere.mjs"), "{}", ran.err);
}

#[tokio::test]
async fn unpublish_takes_a_key_with_or_without_the_word_component() {
    let cli = Cli::new().await;
    let folder = folder("order", "1.0.0");
    let file = folder.join("order.mjs");
    for words in [
        &["unpublish", "order"][..],
        &["unpublish", "component", "order"],
    ] {
        cli.ok(&["publish", file.to_str().unwrap()]).await;
        assert_eq!(cli.ok(words).await, "Unpublished order\n");
        let ran = cli.run(words).await;
        assert_eq!(ran.code, 5, "{words:?}");
        assert!(ran.err.contains("sluice list published"), "{}", ran.err);
    }
}

#[tokio::test]
async fn the_operator_publishes_for_everyone_and_nobody_else_can() {
    let app = unique_name().replace("user", "app").replace('-', "_");
    let key = format!("{app}-order");
    let folder = folder(&key, "1.0.0");
    let file = folder.join("order.mjs");
    let file = file.to_str().unwrap();
    let ran = Cli::new().await.run(&["publish", file, "--server"]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("operator"), "{}", ran.err);

    let operator = Cli::of(shared_server(Backend::Sqlite).api());
    operator.ok(&["publish", file, "--server"]).await;
    let listed = Cli::new().await;
    let listed = listed.ok(&["list", "registry", "-q", &key]).await;
    assert!(listed.contains(&key), "{listed}");
    operator.ok(&["unpublish", &key, "--server"]).await;
    assert_eq!(operator.run(&["unpublish", &key, "--server"]).await.code, 5);
}
