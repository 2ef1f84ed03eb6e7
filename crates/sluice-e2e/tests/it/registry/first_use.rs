//! What an import registered: nothing is installed for it until somebody uses it, and then once.

use serde_json::{Value, json};
use sluice_testkit::{Api, Backend, Plan, Postgres, Registry, Server};
use tokio::task::JoinSet;

use crate::{
    api::fixtures::{refused, text},
    import::upload::Upload,
    support::{Deployed, own_server, unique_name},
    workflows::fixtures::{deploy, faults, returned},
};

/// A server with a package registry, and a component of the key `acme-thing` that was imported.
struct Shop {
    packages: Registry,
    server: Server,
}

/// Emits what its package is; its prop has a default that an import cannot know.
const SOURCE: &str = "
import thing from 'thing';
export default {
  key: 'acme-thing', name: 'Thing', version: '1.0.0',
  props: { version: { type: 'string', default: thing, options() { return [thing]; } } },
  run() { this.$emit({ thing, version: this.version }); },
};";

const ACTION: &str = "
import thing from 'thing';
export default { key: 'acme-thing', name: 'Thing', version: '1.0.0', type: 'action', run() { return thing; } };";

impl Shop {
    async fn with(code: &str, backend: Backend) -> Shop {
        let packages = Registry::start();
        let options = own_server().registry(&packages);
        let options = match backend {
            Backend::Sqlite => options,
            Backend::Postgres => options.postgres(&Postgres::database()),
        };
        let server = Server::start(options).await;
        let shop = Shop { packages, server };
        assert_eq!(shop.import(code).await, "registered");
        shop
    }

    async fn import(&self, code: &str) -> Value {
        let files = [("acme/sources/thing.mjs", code)];
        let upload = Upload::new("tree", &files);
        let imported = upload.send(&self.server.api()).await;
        imported.components()[0]["outcome"].clone()
    }

    fn offer(&self) {
        let files = [("index.js", "module.exports = 'the thing';")];
        self.packages.publish("thing", "1.0.0", json!({}), &files);
    }

    async fn user(&self) -> Api {
        self.server.user(&unique_name(), Plan::Free).await
    }

    async fn registered(&self) -> Value {
        self.server
            .api()
            .get("/components/registry/acme-thing")
            .await
            .ok()
    }
}

async fn deploy_thing(api: &Api) -> Deployed {
    let source = api
        .post("/sources", &json!({ "key": "acme-thing" }))
        .await
        .ok();
    Deployed {
        id: text(&source["id"]),
        api: api.clone(),
        source,
    }
}

#[rstest::rstest]
#[tokio::test]
async fn nothing_is_installed_until_a_component_is_deployed(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let shop = Shop::with(SOURCE, backend).await;
    shop.offer();
    let before = shop.registered().await;
    assert_eq!(before["configurable_props"][0]["name"], "version");
    assert_eq!(before["configurable_props"][0]["default"], json!(null));
    let api = shop.user().await;
    for path in [
        "/components?scope=registry",
        "/components/search?query=thing",
    ] {
        api.get(path).await.expect(200);
    }
    assert_eq!(shop.packages.downloads("thing"), 0);
    let source = deploy_thing(&api).await;
    assert_eq!(shop.packages.downloads("thing"), 1);
    source.run(json!({})).await;
    let expected = json!({ "thing": "the thing", "version": "the thing" });
    assert_eq!(source.events(1).await, [expected]);
    // From now on everyone sees the real shape.
    let after = shop.registered().await;
    assert_eq!(after["id"], before["id"]);
    assert_eq!(after["configurable_props"][0]["default"], "the thing");
}

#[tokio::test]
async fn first_uses_at_the_same_time_install_once_and_all_succeed() {
    let shop = Shop::with(SOURCE, Backend::Sqlite).await;
    shop.offer();
    let api = shop.user().await;
    let mut uses = JoinSet::new();
    for number in 0..6 {
        let api = api.clone();
        uses.spawn(async move {
            if number % 2 == 0 {
                deploy_thing(&api).await;
            } else {
                let body = json!({ "id": "acme-thing", "prop_name": "version" });
                let answer = api.post("/components/configure", &body).await.expect(200);
                assert_eq!(answer["stringOptions"], json!(["the thing"]));
            }
        });
    }
    uses.join_all().await;
    assert_eq!(shop.packages.downloads("thing"), 1);
    let resolved = "resolving packages";
    assert_eq!(shop.server.logs().matches(resolved).count(), 1);
}

#[tokio::test]
async fn the_forms_know_the_real_shape_of_an_imported_component() {
    let shop = Shop::with(SOURCE, Backend::Sqlite).await;
    shop.offer();
    let api = shop.user().await;
    let id = shop.registered().await["id"].clone();
    for name in [json!("acme-thing"), id] {
        let body = json!({ "id": name, "prop_name": "version" });
        let answer = api.post("/components/configure", &body).await.expect(200);
        assert_eq!(answer["stringOptions"], json!(["the thing"]), "{name}");
    }
    assert_eq!(shop.packages.downloads("thing"), 1);
}

#[tokio::test]
async fn an_imported_action_is_a_step_of_a_workflow() {
    let shop = Shop::with(ACTION, Backend::Sqlite).await;
    let api = shop.user().await;
    let step = json!({ "name": "thing", "action": "acme-thing" });
    let document = json!({ "name": "Things", "steps": [step] }).to_string();
    let found = faults(&api, &document).await;
    assert!(found[0].contains("thing"), "{found:?}");
    shop.offer();
    let run = deploy(&api, &document).await.run_and_wait(&json!({})).await;
    assert_eq!(returned(&run, "thing"), "the thing", "{run}");
}

#[tokio::test]
async fn a_component_whose_packages_cannot_be_had_says_so_and_can_be_used_later() {
    let shop = Shop::with(SOURCE, Backend::Sqlite).await;
    let api = shop.user().await;
    let body = json!({ "key": "acme-thing" });
    let answer = api.post("/sources", &body).await.expect(422);
    assert!(answer.to_string().contains("thing"), "{answer}");
    shop.packages.set_down(true);
    let message = refused(api.post("/sources", &body).await, 503);
    assert!(message.contains("package"), "{message}");
    let untouched = shop.registered().await;
    assert_eq!(untouched["configurable_props"][0]["default"], json!(null));
    shop.packages.set_down(false);
    shop.offer();
    deploy_thing(&api).await;
}

#[tokio::test]
async fn what_was_imported_is_not_among_what_the_operator_saved() {
    let shop = Shop::with(SOURCE, Backend::Sqlite).await;
    shop.offer();
    let operator = shop.server.api();
    deploy_thing(&operator).await;
    let own = operator.get("/components").await.expect(200);
    assert_eq!(own["data"], json!([]));
    refused(operator.get("/components/acme-thing").await, 404);
}

#[tokio::test]
async fn unpublishing_what_was_imported_leaves_alone_what_was_deployed_from_it() {
    let mut shop = Shop::with(SOURCE, Backend::Sqlite).await;
    shop.offer();
    let source = deploy_thing(&shop.user().await).await;
    let operator = shop.server.api();
    let path = "/components/registry/acme-thing";
    operator.delete(path).await.expect(204);
    refused(operator.get(path).await, 404);
    shop.server.restart().await;
    source.run(json!({})).await;
    source.events(1).await;
}

#[tokio::test]
async fn an_import_of_other_code_leaves_alone_what_was_deployed_before() {
    let shop = Shop::with(SOURCE, Backend::Sqlite).await;
    shop.offer();
    let api = shop.user().await;
    let old = deploy_thing(&api).await;
    assert_eq!(shop.import(SOURCE).await, "unchanged");
    let other = SOURCE.replace("{ thing, version", "{ now: 2, version");
    assert_eq!(shop.import(&other).await, "updated");
    let new = deploy_thing(&api).await;
    assert_ne!(old.source["component_id"], new.source["component_id"]);
    for (source, field, value) in [(old, "thing", json!("the thing")), (new, "now", json!(2))] {
        source.run(json!({})).await;
        assert_eq!(source.events(1).await[0][field], value);
    }
}
