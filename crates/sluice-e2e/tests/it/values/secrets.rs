//! Secret props: sealed in everything that is stored, masked in every answer, clear only in the code they are for.

use serde_json::{Value, json};
use sluice_testkit::{Method, Postgres, Server};

use super::with_props;
use crate::support::{Deployed, deploy_with, new_user, own_server};

const SECRET: &str = "key: { type: 'string', secret: true }";
const HUSH: &str = "hush-a6b1f0c4";
const FIRST_KEY: &str = "1111111111111111111111111111111111111111111111111111111111111111";
const OTHER_KEY: &str = "2222222222222222222222222222222222222222222222222222222222222222";

async fn put(source: &Deployed, body: Value) -> Value {
    source.api.put(&source.path(""), &body).await.ok()
}

/// Runs the source and gives what it emitted as its `count`th event.
async fn emitted(source: &Deployed, count: usize) -> Value {
    source.run(json!({})).await;
    source.events(count).await.remove(count - 1)
}

/// Everything the server's data folder holds, and what it logged.
fn written_by(server: &Server) -> Vec<(String, Vec<u8>)> {
    let mut found = vec![("the log".to_owned(), server.logs().into_bytes())];
    for entry in std::fs::read_dir(server.data_dir()).expect("the data folder") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            let bytes = std::fs::read(&path).expect("a readable file");
            found.push((path.display().to_string(), bytes));
        }
    }
    found
}

fn holds(bytes: &[u8], text: &str) -> bool {
    memchr::memmem::find(bytes, text.as_bytes()).is_some()
}

#[tokio::test]
async fn a_secret_is_in_no_file_and_no_log_of_the_server() {
    let server = Server::start(own_server().arg("--log").arg("debug")).await;
    let code = with_props(
        &format!("{SECRET}, plain: 'string'"),
        "this.$emit([this.key.length, this.plain]);",
    );
    let given = json!({ "key": HUSH, "plain": "visible-5d0c" });
    let source = deploy_with(&server.api(), &code, given.clone()).await;
    assert_eq!(
        emitted(&source, 1).await,
        json!([HUSH.len(), "visible-5d0c"])
    );
    put(&source, json!({ "configured_props": given })).await;
    source
        .api
        .put(
            &source.path(""),
            &json!({ "configured_props": { "key": HUSH, "plain": [5] } }),
        )
        .await
        .expect(422);
    let written = written_by(&server);
    assert!(written.iter().any(|(name, _)| name.ends_with("-wal")));
    assert!(
        written
            .iter()
            .any(|(_, bytes)| holds(bytes, "visible-5d0c"))
    );
    for (name, bytes) in written {
        assert!(!holds(&bytes, HUSH), "{name} holds the secret");
    }
}

#[tokio::test]
async fn a_secret_is_sealed_in_its_column_of_postgresql() {
    let url = Postgres::database();
    let server = Server::start(own_server().postgres(&url)).await;
    let code = with_props(SECRET, "this.$emit(this.key);");
    let source = deploy_with(&server.api(), &code, json!({ "key": HUSH })).await;
    let read = move || {
        let mut client = postgres::Client::connect(&url, postgres::NoTls).expect("a connection");
        let rows = client.query("SELECT configured_props FROM sources", &[]);
        rows.expect("a row")[0].get::<_, String>(0)
    };
    let column = std::thread::spawn(read).join().expect("a column");
    assert!(!column.contains(HUSH), "{column}");
    assert!(column.contains("$sealed"), "{column}");
    assert_eq!(emitted(&source, 1).await, HUSH);
}

#[tokio::test]
async fn the_run_of_a_value_that_cannot_be_read_says_what_is_wrong() {
    let code = with_props(
        &format!("{SECRET}, http: {{ type: '$.interface.http', customResponse: true }}"),
        "this.http.respond({ status: 200, body: this.key });",
    );
    let mut server = Server::start(own_server().env("SLUICE_MASTER_KEY", FIRST_KEY)).await;
    let source = deploy_with(&server.api(), &code, json!({ "key": HUSH })).await;
    let endpoint = source
        .endpoint()
        .trim_start_matches(server.url())
        .to_owned();
    reseal(&mut server).await;
    let answer = server.api().root(Method::POST, &endpoint).send().await;
    let error = answer.expect(400)["error"].to_string();
    assert!(
        error.contains("the secret value of key cannot be read: sealed with another key"),
        "{error}"
    );
}

fn database(server: &Server) -> rusqlite::Connection {
    let path = server.data_dir().join("sluice.db");
    rusqlite::Connection::open(path).expect("the database")
}

/// The stored props of a source with a secret, on a server with another master key.
async fn sealed_with_another_key() -> String {
    let server = Server::start(own_server().env("SLUICE_MASTER_KEY", OTHER_KEY)).await;
    deploy_with(
        &server.api(),
        &with_props(SECRET, ""),
        json!({ "key": "lost" }),
    )
    .await;
    database(&server)
        .query_row("SELECT configured_props FROM sources", [], |row| row.get(0))
        .expect("the source")
}

/// Puts a value in place that another master key sealed, while the server is down.
async fn reseal(server: &mut Server) {
    let props = sealed_with_another_key().await;
    server.kill9();
    database(server)
        .execute("UPDATE sources SET configured_props = ?1", [props])
        .expect("an update");
    server.restart().await;
}

#[tokio::test]
async fn a_secret_that_cannot_be_read_is_kept_until_it_is_given_again() {
    let mut server = Server::start(own_server().env("SLUICE_MASTER_KEY", FIRST_KEY)).await;
    let code = with_props(SECRET, "this.$emit(this.key);");
    let source = deploy_with(&server.api(), &code, json!({ "key": HUSH })).await;
    reseal(&mut server).await;

    source.run(json!({})).await;
    let error = source.errors(1).await.remove(0);
    assert_eq!(error["error"]["code"], "SecretUnreadable");
    source.log_with("sealed with another key").await;

    let mask = json!({ "key": "********" });
    for body in [
        json!({ "active": false }),
        json!({ "active": true }),
        json!({ "configured_props": mask }),
    ] {
        assert_eq!(put(&source, body).await["configured_props"], mask);
    }
    source.run(json!({})).await;
    source.errors(2).await;

    let clear = json!({ "component_code": with_props("key: 'string'", "") });
    let refused = source.api.put(&source.path(""), &clear).await.expect(422);
    let fault = "key was sealed with another key: give it again";
    assert_eq!(refused["details"]["configured_props"], json!([fault]));
    let code = &refused["details"]["props"][0]["code"];
    assert_eq!(code, "unreadable_secret", "{refused}");

    put(&source, json!({ "configured_props": { "key": "new" } })).await;
    assert_eq!(emitted(&source, 1).await, "new");
}

#[tokio::test]
async fn a_hook_whose_secret_cannot_be_read_fails_with_the_reason() {
    let mut server = Server::start(own_server().env("SLUICE_MASTER_KEY", FIRST_KEY)).await;
    let code = with_props(SECRET, "").replace("props:", "hooks: { deactivate() {} }, props:");
    let source = deploy_with(&server.api(), &code, json!({ "key": HUSH })).await;
    reseal(&mut server).await;
    let refused = source.api.delete(&source.path("")).await.expect(422);
    let error = refused["observations"].to_string();
    assert!(
        error.contains("the secret value of key cannot be read"),
        "{error}"
    );
    let path = source.path("?ignore_hook_errors=true");
    assert_eq!(source.api.delete(&path).await.status, 204);
}

#[tokio::test]
async fn a_prop_that_stops_being_secret_or_becomes_secret_keeps_its_value() {
    let plain = with_props("key: 'string'", "this.$emit(this.key);");
    let secret = with_props(SECRET, "this.$emit(this.key);");
    let source = deploy_with(&new_user().await, &secret, json!({ "key": HUSH })).await;
    assert_eq!(emitted(&source, 1).await, HUSH);

    let open = put(&source, json!({ "component_code": plain })).await;
    assert_eq!(open["configured_props"]["key"], HUSH);
    assert_eq!(emitted(&source, 2).await, HUSH);

    let hidden = put(&source, json!({ "component_code": secret })).await;
    assert_eq!(hidden["configured_props"]["key"], "********");
    assert_eq!(emitted(&source, 3).await, HUSH);

    // A client that sends back what it was shown means the value, with new code too.
    let echoed = json!({ "component_code": plain, "configured_props": { "key": "********" } });
    assert_eq!(put(&source, echoed).await["configured_props"]["key"], HUSH);
    assert_eq!(emitted(&source, 4).await, HUSH);
}

#[tokio::test]
async fn an_object_that_looks_sealed_is_never_opened() {
    let api = new_user().await;
    let forged = json!({ "$sealed": "AAAA" });
    let body =
        json!({ "component_code": with_props(SECRET, ""), "configured_props": { "key": forged } });
    let refused = api.post("/sources", &body).await.expect(422);
    assert_eq!(
        refused["details"]["configured_props"],
        json!(["key must be a string"])
    );
    for declared in ["key: 'any'", "key: { type: 'any', secret: true }"] {
        let code = with_props(declared, "this.$emit(this.key);");
        let source = deploy_with(&api, &code, json!({ "key": forged })).await;
        assert_eq!(emitted(&source, 1).await, forged, "{declared}");
        // Code in which it is a secret text does not take it for one.
        let update = json!({ "component_code": with_props(SECRET, "") });
        source.api.put(&source.path(""), &update).await.expect(422);
    }
}

#[tokio::test]
async fn secrets_of_other_types_and_captured_defaults_are_kept_whole() {
    let code = with_props(
        "list: { type: 'string[]', secret: true }, thing: { type: 'object', secret: true }, preset: { type: 'string', secret: true, default: 'd' }",
        "this.$emit([this.list, this.thing, this.preset]);",
    );
    let given = json!({ "list": ["a", "b"], "thing": { "x": [1] } });
    let source = deploy_with(&new_user().await, &code, given).await;
    let mask = "********";
    assert_eq!(
        source.source["configured_props"],
        json!({ "list": mask, "thing": mask, "preset": mask })
    );
    assert_eq!(
        emitted(&source, 1).await,
        json!([["a", "b"], { "x": [1] }, "d"])
    );
    put(&source, json!({ "name": "renamed" })).await;
    put(
        &source,
        json!({ "configured_props": { "list": mask, "thing": mask, "preset": mask } }),
    )
    .await;
    assert_eq!(
        emitted(&source, 2).await,
        json!([["a", "b"], { "x": [1] }, "d"])
    );
}
