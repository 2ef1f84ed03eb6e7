//! The apps of imported components.

use serde_json::json;

use super::Stage;

#[tokio::test]
async fn an_app_that_is_not_known_is_registered_with_what_the_code_reads_of_its_accounts() {
    let stage = Stage::with_apps(1).await;
    stage.tree.put(
        "plain_words/actions/say/say.mjs",
        "export default { key: 'plain_words-say', name: 'Say', version: '0.0.1', type: 'action', run() {} };",
    );
    stage.import(&[]).await;
    let app = stage.api().get("/apps/service_000").await.ok();
    assert_eq!(app["name"], "Service 000");
    assert_eq!(app["auth_type"], "keys");
    let fields: serde_json::Value =
        serde_json::from_str(app["custom_fields_json"].as_str().expect("JSON")).expect("JSON");
    let names: Vec<_> = fields
        .as_array()
        .expect("a list")
        .iter()
        .map(|field| field["name"].clone())
        .collect();
    assert_eq!(names, ["api_key", "workspace"]);
    assert_eq!(fields[0]["type"], "password");
    assert_eq!(fields[1].get("type"), None);
    let plain = stage.api().get("/apps/plain_words").await.ok();
    assert_eq!(
        (&plain["name"], &plain["auth_type"]),
        (&json!("Plain Words"), &json!("none"))
    );
}

#[tokio::test]
async fn an_app_that_is_known_is_left_alone() {
    let stage = Stage::with_apps(1).await;
    let app = json!({
        "name_slug": "service_000", "name": "My service", "auth_type": "keys",
        "custom_fields": [{ "name": "token" }],
    });
    let before = stage.api().post("/apps", &app).await.ok();
    assert_eq!(stage.import(&[]).await.counts(), [10, 0, 0, 0]);
    let after = stage.api().get("/apps/service_000").await.ok();
    assert_eq!(after["custom_fields_json"], before["custom_fields_json"]);
    assert_eq!(after["name"], "My service");
}

#[tokio::test]
async fn a_component_in_the_folder_of_one_app_may_use_another() {
    let stage = Stage::with_apps(1).await;
    let other = "import service from '../../../service_000/service_000.app.mjs';
        export default { key: 'bridge-say', name: 'Say', version: '0.0.1', type: 'action', props: { service }, run() {} };";
    stage.tree.put("bridge/actions/say/say.mjs", other);
    let foreign = other.replace("bridge-say", "third-say");
    stage.tree.put("bridge/actions/tell/tell.mjs", &foreign);
    stage.import(&[]).await;
    let found = stage
        .api()
        .get("/components/search?query=say&app=bridge")
        .await;
    // A key that names another app is found with the app of its folder.
    assert_eq!(found.body["actions"], json!(["bridge-say", "third-say"]));
}

/// The account fields of an app, as one text. A `?` marks optional ones.
async fn fields(stage: &Stage, app: &str) -> String {
    let app = stage.api().get(&format!("/apps/{app}")).await.ok();
    let fields: serde_json::Value =
        serde_json::from_str(app["custom_fields_json"].as_str().expect("JSON")).expect("JSON");
    let names = fields.as_array().expect("a list").iter().map(|field| {
        let mark = if field["optional"] == true { "?" } else { "" };
        format!("{}{mark}", field["name"].as_str().unwrap_or_default())
    });
    names.collect::<Vec<_>>().join(" ")
}

fn action(app: &str, name: &str, body: &str) -> String {
    format!(
        "import app from '../../{app}.app.mjs';
        export default {{ key: '{app}-{name}', name: '{name}', version: '0.0.1', type: 'action', props: {{ app }},
          run() {{ {body} }} }};"
    )
}

#[tokio::test]
async fn an_app_that_extends_another_needs_the_fields_of_both() {
    let stage = Stage::with_apps(0).await;
    stage.tree.put(
        "base_files/base_files.app.mjs",
        "export default { type: 'app', app: 'base_files', methods: {
            headers() { return { Authorization: `Bearer ${this.$auth.base_token}` }; } } };",
    );
    stage.tree.put(
        "base_sheets/base_sheets.app.mjs",
        "import files from '../base_files/base_files.app.mjs';
        export default { ...files, app: 'base_sheets', methods: { ...files.methods,
            url() { const { host, ca, mode = 'strict' } = this.$auth; return host + (ca ? 's' : '') + mode; } } };",
    );
    let sheets = action("base_sheets", "read", "return this.app.url();");
    stage.tree.put("base_sheets/actions/read/read.mjs", &sheets);
    assert_eq!(stage.import(&[]).await.counts(), [1, 0, 0, 0]);
    assert_eq!(
        fields(&stage, "base_sheets").await,
        "base_token ca? host mode?"
    );
}

#[tokio::test]
async fn fields_that_a_later_component_reads_are_added() {
    let stage = Stage::with_apps(0).await;
    let app = "export default { type: 'app', app: 'late_fields', methods: { key() { return this.$auth.key; } } };";
    stage.tree.put("late_fields/late_fields.app.mjs", app);
    let first = action("late_fields", "one", "return this.app.key();");
    stage.tree.put("late_fields/actions/one/one.mjs", &first);
    stage.import(&[]).await;
    assert_eq!(fields(&stage, "late_fields").await, "key");
    let second = action("late_fields", "two", "return this.app.$auth.region;");
    stage.tree.put("late_fields/actions/two/two.mjs", &second);
    stage.import(&[]).await;
    assert_eq!(fields(&stage, "late_fields").await, "key region");
    let account = json!({ "app": "late_fields", "credentials": { "key": "k", "region": "r" } });
    stage.api().post("/accounts", &account).await.ok();
    let third = action("late_fields", "three", "return this.app.$auth.zone;");
    stage
        .tree
        .put("late_fields/actions/three/three.mjs", &third);
    stage.import(&[]).await;
    // The account has no zone, and stays valid.
    assert_eq!(fields(&stage, "late_fields").await, "key region zone?");
}

#[tokio::test]
async fn an_app_of_the_catalogue_keeps_its_title_and_its_oauth_settings() {
    let stage = Stage::with_apps(0).await;
    stage.tree.put(
        "github/github.app.mjs",
        "export default { type: 'app', app: 'github', methods: { token() {
            return [this.$auth.oauth_access_token, this.$auth.enterprise_host]; } } };",
    );
    let read = action("github", "read", "return this.app.token();");
    stage.tree.put("github/actions/read/read.mjs", &read);
    assert_eq!(stage.import(&[]).await.counts(), [1, 0, 0, 0]);
    let app = stage.api().get("/apps/github").await.ok();
    assert_eq!(
        (&app["name"], &app["auth_type"]),
        (&json!("GitHub"), &json!("oauth"))
    );
    assert_eq!(app["oauth"]["is_ready"], false);
    assert_eq!(fields(&stage, "github").await, "enterprise_host?");
}

#[tokio::test]
async fn slugs_may_begin_with_an_underscore() {
    let stage = Stage::with_apps(0).await;
    stage.tree.put(
        "_10000units/_10000units.app.mjs",
        "export default { type: 'app', app: '_10000units', methods: { k() { return this.$auth.key; } } };",
    );
    let read = action("_10000units", "read", "return this.app.k();");
    stage.tree.put("_10000units/actions/read/read.mjs", &read);
    assert_eq!(stage.import(&[]).await.counts(), [1, 0, 0, 0]);
    assert_eq!(fields(&stage, "_10000units").await, "key");
}
