//! Listing and finding components.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Api, Backend};

use super::{operator, unique_key};
use crate::{
    api::fixtures::{page, refused, save},
    support::{new_user, new_user_on, shared_server, unique_name},
};

struct Sample<'a> {
    key: &'a str,
    name: &'a str,
    description: &'a str,
    app: Option<&'a str>,
    kind: &'a str,
}

const SAMPLES: [Sample<'static>; 4] = [
    Sample {
        key: "acme-new-file",
        name: "New File",
        description: "Emits whenever a file arrives",
        app: Some("acme"),
        kind: "source",
    },
    Sample {
        key: "acme-new-file-in-folder",
        name: "In Folder",
        description: "",
        app: Some("acme"),
        kind: "source",
    },
    Sample {
        key: "acme-store",
        name: "Store a new file",
        description: "Saves bytes",
        app: Some("acme"),
        kind: "action",
    },
    Sample {
        key: "other-copy",
        name: "Copy",
        description: "Makes a NEW one of the same file",
        app: None,
        kind: "action",
    },
];

impl Sample<'_> {
    fn code(&self) -> String {
        let Sample {
            key,
            name,
            description,
            app,
            kind,
        } = self;
        let app = app.map_or_else(String::new, |app| {
            format!("app: {{ type: 'app', app: '{app}' }}")
        });
        format!(
            "module.exports = {{ key: '{key}', name: '{name}', description: '{description}', version: '1.0.0',
             type: '{kind}', props: {{ {app} }}, run() {{}} }};"
        )
    }
}

async fn publish_all(api: &Api) {
    for sample in &SAMPLES {
        let body = json!({ "component_code": sample.code() });
        api.post("/components/published", &body).await.expect(200);
    }
}

async fn keys(api: &Api, query: &str) -> Vec<Value> {
    page(api, &format!("/components?{query}")).await.each("key")
}

#[rstest]
#[tokio::test]
async fn lists_are_narrowed_by_words_app_and_type(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
    #[values("own", "published")] scope: &str,
) {
    let api = new_user_on(backend).await;
    for sample in &SAMPLES {
        let path = match scope {
            "own" => "/components",
            _ => "/components/published",
        };
        let body = json!({ "component_code": sample.code() });
        api.post(path, &body).await.expect(200);
    }
    let [file, folder, store, copy] = SAMPLES.map(|sample| sample.key);
    for (query, expected) in [
        ("", &[copy, store, folder, file][..]),
        ("q=", &[copy, store, folder, file]),
        ("q=new+FILE", &[file, store, folder, copy]),
        ("q=acme-new-file", &[file, folder]),
        ("q=Folder", &[folder]),
        ("q=arrives+acme", &[file]),
        ("q=arrives+nothing", &[]),
        ("app=acme", &[store, folder, file]),
        ("app=unknown", &[]),
        ("type=action", &[copy, store]),
        ("type=source&q=arrives", &[file]),
        ("type=action&app=acme&q=bytes", &[store]),
    ] {
        let found = keys(&api, &format!("scope={scope}&{query}")).await;
        assert_eq!(found, expected, "{query}");
    }
    let everything = page(&api, &format!("/components?scope={scope}&limit=3")).await;
    assert_eq!(everything.info["total_count"], 4);
    let cursor = everything.end_cursor();
    let rest = keys(&api, &format!("scope={scope}&after={cursor}")).await;
    assert_eq!(rest, [file]);
}

#[tokio::test]
async fn the_list_of_own_components_is_what_is_listed_without_a_scope() {
    let api = new_user().await;
    save(&api, &SAMPLES[0].code()).await;
    assert_eq!(keys(&api, "").await, [SAMPLES[0].key]);
    assert_eq!(keys(&api, "scope=published").await.len(), 0);
    for bad in ["scope=all", "scope=", "type=app", "type=", "limit=0"] {
        refused(api.get(&format!("/components?{bad}")).await, 400);
    }
}

#[tokio::test]
async fn lists_of_what_is_published_have_the_newest_version_of_each_key() {
    let (api, key) = (new_user().await, unique_key());
    let code = |version: &str| {
        format!("module.exports = {{ key: '{key}', name: 'V', version: '{version}', run() {{}} }};")
    };
    for version in ["1.1.0", "1.0.0"] {
        let body = json!({ "component_code": code(version) });
        api.post("/components/published", &body).await.expect(200);
        operator()
            .post("/components/registry", &body)
            .await
            .expect(200);
    }
    for scope in ["published", "registry"] {
        let listed = page(&api, &format!("/components?scope={scope}&q={key}")).await;
        assert_eq!(listed.each("version"), ["1.1.0"], "{scope}");
    }
    let word = key.split_once('-').expect("a dash").0;
    let of_app = keys(&api, &format!("scope=registry&app={word}&q={key}")).await;
    assert_eq!(of_app, [key]);
}

async fn search(api: &Api, query: &str) -> Value {
    api.get(&format!("/components/search?{query}"))
        .await
        .expect(200)
}

#[rstest]
#[tokio::test]
async fn a_search_gives_keys_of_sources_and_actions_the_best_first(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    publish_all(&api).await;
    let [file, folder, store, copy] = SAMPLES.map(|sample| sample.key);
    for (query, sources, actions) in [
        ("query=acme-new-file", &[file, folder][..], &[][..]),
        ("query=Acme+New+File", &[file, folder], &[store]),
        ("query=new+file", &[file, folder], &[store, copy]),
        ("query=new+file&app=acme", &[file, folder], &[store]),
        ("query=file+bytes", &[], &[store]),
        (
            "query=file+bytes&similarity_threshold=0.5",
            &[file, folder],
            &[store, copy],
        ),
        ("query=zebra&similarity_threshold=0", &[], &[]),
    ] {
        let expected = json!({ "sources": sources, "actions": actions });
        assert_eq!(search(&api, query).await, expected, "{query}");
    }
}

#[tokio::test]
async fn a_search_finds_what_is_published_here_and_nothing_else() {
    let word = unique_name().replace('-', "_");
    let (own, common) = (format!("own-{word}"), format!("common-{word}"));
    let code = |key: &str, kind: &str| {
        format!(
            "module.exports = {{ key: '{key}', name: 'S', version: '1.0.0', type: '{kind}', run() {{}} }};"
        )
    };
    let api = new_user().await;
    let publish = async |api: &Api, shelf: &str, code: String| {
        let body = json!({ "component_code": code });
        let path = format!("/components/{shelf}");
        api.post(&path, &body).await.expect(200);
    };
    publish(&api, "published", code(&own, "source")).await;
    publish(&operator(), "registry", code(&common, "source")).await;
    publish(&new_user().await, "published", code("theirs", "source")).await;
    save(&api, &code(&format!("saved-{word}"), "source")).await;
    let query = format!("query={word}");
    let both = json!({ "sources": [common, own], "actions": [] });
    assert_eq!(search(&api, &query).await, both);
    // Under one key the account goes first, here too.
    publish(&api, "published", code(&common, "action")).await;
    let parted = json!({ "sources": [own], "actions": [common] });
    assert_eq!(search(&api, &query).await, parted);
    let of_others = json!({ "sources": [common], "actions": [] });
    assert_eq!(search(&new_user().await, &query).await, of_others);
}

#[tokio::test]
async fn a_search_finds_at_most_a_hundred_of_each_type() {
    let server = shared_server(Backend::Sqlite);
    let api = server
        .user(&unique_name(), sluice_testkit::Plan::Free)
        .await;
    let mut publishing = tokio::task::JoinSet::new();
    for number in 0..101 {
        let api = api.clone();
        publishing.spawn(async move {
            let code = format!(
                "module.exports = {{ key: 'many-{number:03}', name: 'M', version: '1.0.0', run() {{}} }};"
            );
            let body = json!({ "component_code": code });
            api.post("/components/published", &body).await.expect(200);
        });
    }
    publishing.join_all().await;
    let found = search(&api, "query=many-").await;
    let sources = found["sources"].as_array().expect("a list");
    assert_eq!(sources.len(), 100);
    assert!(sources.is_sorted_by_key(|key| key.as_str()));
}

#[tokio::test]
async fn a_search_needs_a_query_and_a_threshold_between_0_and_1() {
    let api = new_user().await;
    for bad in [
        "",
        "query=",
        "query=+",
        "app=acme",
        "query=a&similarity_threshold=",
        "query=a&similarity_threshold=2",
        "query=a&similarity_threshold=-0.1",
        "query=a&similarity_threshold=NaN",
        "query=a&similarity_threshold=much",
    ] {
        refused(api.get(&format!("/components/search?{bad}")).await, 400);
    }
    api.get("/components/search?query=%00").await.expect(200);
}
