//! A tree in all module forms, in which one of twelve components is broken.

use serde_json::json;
use sluice_testkit::{Flaw, PlantedComponent, TreePlan};

use super::Stage;

/// Texts in the errors of each flaw.
fn told(flaw: Flaw, planted: &PlantedComponent) -> Vec<String> {
    let texts: &[&str] = match flaw {
        Flaw::Syntax => &["\"line\":10,", "SyntaxError"],
        Flaw::MissingFile => &["\"line\":3,", "`../../common/gone.mjs` names no file"],
        Flaw::MissingName => &["\"line\":3,", "nothing", "does not provide an export"],
        Flaw::NoVersion => &["version is required"],
        Flaw::NoKey | Flaw::BadKey => &["needs a key of letters"],
        Flaw::KeyTakenAlready => &["/actions/copy-item/copy-item.mjs has the key", "already"],
        Flaw::ThrowsAtLoad => &["\"line\":5,", "reading 'id'"],
        Flaw::LoopsAtLoad => &["loading took longer than 4 s"],
        Flaw::BadPropType => &["prop extra", "objekt"],
    };
    let texts = texts.iter().map(|text| (*text).to_owned());
    let key = flaw == Flaw::KeyTakenAlready;
    texts.chain(key.then(|| planted.key.clone())).collect()
}

#[tokio::test]
async fn what_is_sound_is_registered_and_what_is_broken_told_with_its_reason() {
    let stage = Stage::set(TreePlan {
        apps: 12,
        broken_one_in: 12,
    })
    .await;
    for flaw in Flaw::ALL {
        assert_eq!(stage.tree.paths(Some(flaw)).len(), 1, "{flaw:?}");
    }
    let first = stage.import(&[]).await;
    let components = first.components();
    assert_eq!(components.len(), 120);
    for (path, planted) in &stage.tree.components {
        let component = components[path.as_str()];
        let Some(flaw) = planted.flaw else {
            let expected = json!({
                "path": path, "outcome": "registered", "key": planted.key, "version": planted.version,
            });
            assert_eq!(*component, expected);
            continue;
        };
        assert_eq!(component["outcome"], "failed", "{component}");
        let errors = component["errors"].to_string();
        for text in told(flaw, planted) {
            assert!(errors.contains(&text), "{flaw:?} {text}: {errors}");
        }
    }
    assert_eq!(first.counts(), [110, 0, 0, 10]);
    assert_eq!(first.0["passed_over"], 36);

    // Nothing has changed: nothing is done, and what is broken is told again.
    let second = stage.import(&[]).await;
    assert_eq!(second.counts(), [0, 0, 110, 10]);
    for path in stage.tree.components.keys() {
        let (before, after) = (
            components[path.as_str()],
            second.components()[path.as_str()],
        );
        assert_eq!(before["errors"], after["errors"]);
        assert_eq!(before["key"], after["key"]);
    }

    let shown = stage.run(&[]).await;
    assert_eq!(shown.code, 0, "{shown:#?}");
    let summary = shown.out.lines().last().expect("a summary");
    assert!(summary.starts_with("registered 0, updated 0, unchanged 110, broken 10 in "));
    assert_eq!(shown.out.lines().count(), 12, "{}", shown.out);
    let strict = stage.run(&["--strict"]).await;
    assert_eq!(strict.code, 1, "{strict:#?}");
}

#[tokio::test]
async fn what_is_registered_has_the_shape_that_its_code_has() {
    let stage = Stage::with_apps(2).await;
    stage.import(&[]).await;
    let api = stage.api();
    let get = async |key: &str| api.get(&format!("/components/registry/{key}")).await.ok();
    let polling = get("service_000-new-item").await;
    assert_eq!(polling["name"], "New Item");
    assert_eq!(
        polling["configurable_props"],
        json!([
            { "name": "app", "type": "app", "app": "service_000" },
            { "name": "db", "type": "$.service.db" },
            { "name": "timer", "type": "$.interface.timer", "default": { "intervalSeconds": 900 } },
            { "name": "state", "type": "string", "label": "State", "description": "Of the item",
              "options": ["open", "closed", { "label": "In progress", "value": "in_progress" }], "optional": true },
        ])
    );
    let copying = get("service_000-copy-item").await;
    assert_eq!(
        copying["configurable_props"],
        json!([
            { "name": "app", "type": "app", "app": "service_000" },
            { "name": "other", "type": "app", "app": "service_001" },
            { "name": "itemId", "type": "string", "label": "Item", "description": "The item to work with", "remoteOptions": true },
            { "name": "most", "type": "integer", "label": "Most", "description": "At most so many", "default": 100 },
        ])
    );
    let path = stage
        .root()
        .join("service_000/sources/item-deleted/item-deleted.js");
    let written = std::fs::read_to_string(path).expect("a file");
    assert_eq!(
        get("service_000-item-deleted").await["code"],
        json!(written)
    );
}
