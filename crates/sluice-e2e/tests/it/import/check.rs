//! `sluice registry check`

use serde_json::{Value, json};
use sluice_testkit::{Flaw, Registry, Server, TreePlan};

use super::Stage;
use crate::support::own_server;

impl Stage {
    pub(super) async fn check(&self, args: &[&str]) -> (i32, Value) {
        let path = self.root().to_str().expect("a path in UTF-8");
        let args = [&["check", path, "--json"], args].concat();
        let ran = self.registry(self.server.api_key(), &args).await;
        let report = serde_json::from_str(&ran.out);
        (ran.code, report.unwrap_or_else(|_| panic!("{ran:#?}")))
    }
}

fn reason(flaw: Flaw) -> &'static str {
    match flaw {
        Flaw::Syntax | Flaw::MissingFile => "code",
        Flaw::MissingName
        | Flaw::NoVersion
        | Flaw::ThrowsAtLoad
        | Flaw::LoopsAtLoad
        | Flaw::BadPropType => "definition",
        Flaw::NoKey | Flaw::BadKey | Flaw::KeyTakenAlready => "key",
    }
}

#[tokio::test]
async fn a_check_reports_what_is_broken_and_registers_nothing() {
    let stage = Stage::set(TreePlan {
        apps: 12,
        broken_one_in: 12,
    })
    .await;
    let (code, report) = stage.check(&["--no-load"]).await;
    assert_eq!(code, 1);
    let components = report["components"].as_array().expect("a list");
    assert_eq!(components.len(), 120);
    for component in components {
        let planted = &stage.tree.components[component["path"].as_str().expect("a path")];
        let expected = planted.flaw.map_or(Value::Null, |flaw| json!(reason(flaw)));
        assert_eq!(component["reason"], expected, "{component}");
    }
    assert_eq!(
        (&report["sound"], &report["broken"]),
        (&json!(110), &json!(10))
    );
    assert_eq!(
        report["reasons"],
        json!({ "code": 2, "definition": 5, "key": 3 })
    );
    let found = "/components/registry/service_000-new-item";
    stage.api().get(found).await.expect(404);
    let imports = stage.api().get("/components/registry/imports").await.ok();
    assert_eq!(imports, json!([]));
}

#[tokio::test]
async fn a_check_reports_packages_and_account_fields() {
    let stage = Stage::with_apps(1).await;
    let (code, report) = stage.check(&["--no-load"]).await;
    assert_eq!(code, 0, "{report}");
    let components = report["components"].as_array().expect("a list");
    let component = |name: &str| {
        let mut found = components.iter().filter(|one| {
            let key = one["key"].as_str().expect("a key");
            key == format!("service_000-{name}")
        });
        found.next().expect("it is in the tree")
    };
    let deleted = component("item-deleted");
    assert_eq!(
        (&deleted["kind"], &deleted["app"]),
        (&json!("source"), &json!("service_000"))
    );
    assert_eq!(
        deleted["packages"],
        json!(["axios@latest", "lodash@latest"])
    );
    assert_eq!(
        deleted["fields"],
        json!([{ "app": "service_000", "name": "api_key", "optional": false }])
    );
    let uploaded = component("upload-item")["packages"].to_string();
    assert!(uploaded.contains("got@13.0.0"), "{uploaded}");
    assert_eq!(
        report["apps"],
        json!([{ "name_slug": "service_000", "fields": [
            { "name": "api_key", "optional": false, "registered": true },
            { "name": "workspace", "optional": false, "registered": true },
        ] }])
    );
}

#[tokio::test]
async fn fields_that_the_operator_did_not_describe_are_reported() {
    let stage = Stage::with_apps(1).await;
    let app = json!({
        "name_slug": "service_000", "name": "My service", "auth_type": "keys",
        "custom_fields": [{ "name": "api_key" }],
    });
    stage.api().post("/apps", &app).await.ok();
    let path = stage.root().to_str().expect("a path in UTF-8");
    let args = ["check", path, "--no-load", "--quiet"];
    let ran = stage.registry(stage.server.api_key(), &args).await;
    assert_eq!(ran.code, 1, "{ran:#?}");
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 2, "{ran:#?}");
    assert!(
        lines[0].starts_with("service_000: code reads workspace"),
        "{ran:#?}"
    );
    assert!(
        lines[1].starts_with("10 components can be imported, broken 0"),
        "{ran:#?}"
    );
}

#[tokio::test]
async fn a_check_loads_components_with_their_packages() {
    let registry = Registry::start();
    let files = [("index.js", "module.exports = { limit: 3 };")];
    registry.publish("settings", "1.0.0", json!({}), &files);
    let mut stage = Stage::with_apps(0).await;
    stage.server = Server::start(own_server().registry(&registry)).await;
    let code = |name: &str, package: &str, value: &str| {
        format!(
            "import settings from '{package}';
            export default {{ key: 'plain-{name}', name: 'N', version: '0.0.1', type: 'action',
              props: {{ limit: {{ type: 'integer', default: {value} }} }}, run() {{}} }};"
        )
    };
    for (name, package, value) in [
        ("sound", "settings", "settings.limit"),
        ("throwing", "settings", "settings.missing.limit"),
        ("uninstalled", "not-there", "1"),
    ] {
        let path = format!("plain/actions/{name}/{name}.mjs");
        stage.tree.put(&path, &code(name, package, value));
    }
    // Without their packages nothing is wrong with them.
    assert_eq!(stage.check(&["--no-load"]).await.0, 0);
    let (code, report) = stage.check(&[]).await;
    assert_eq!(code, 1);
    let components = report["components"].as_array().expect("a list");
    let reasons: Vec<&Value> = components.iter().map(|one| &one["reason"]).collect();
    assert_eq!(reasons, [&Value::Null, &json!("load"), &json!("packages")]);
    assert_eq!(report["reasons"], json!({ "load": 1, "packages": 1 }));
    let error = components[1]["errors"][0].to_string();
    assert!(error.contains("reading 'limit'"), "{error}");
}
