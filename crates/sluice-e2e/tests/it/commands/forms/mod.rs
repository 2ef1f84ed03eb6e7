//! The forms of thirty components, filled in at a terminal. Their options have numbers as values or are nested, props depend on
//! others, and some are alerts. `crates/sluice-e2e/forms` has the components and the answers. The console has the same test.

mod case;
mod person;

use std::path::PathBuf;

use rstest::rstest;
use serde_json::json;
use sluice_testkit::wait_for;

use self::{case::Case, person::Person};
use super::fixtures::{Cli, component, source};
use crate::support::PATIENCE;

#[rstest]
#[tokio::test]
async fn a_form_is_filled_in_by_keyboard(#[files("forms/*.mjs")] component: PathBuf) {
    let case = Case::read(component);
    let cli = Cli::new().await;
    case.prepare(&cli).await;
    let mut person = Person::at(cli.terminal(&case.command()));
    for step in case.steps() {
        person.answer(step).await;
    }
    person.ends().await;

    let source = cli.only_source().await;
    assert_eq!(case.readable(&cli, &source).await, case.values(), "{case}");
    let id = source["id"].as_str().expect("an id");
    if case.is_reopened() {
        Person::at(cli.terminal(&["update", id, "--prompt-all"]))
            .accepts_everything()
            .await;
        let source = cli.only_source().await;
        assert_eq!(case.readable(&cli, &source).await, case.values(), "{case}");
    }
    let Some(expected) = case.emits() else {
        return;
    };
    let path = format!("/sources/{id}");
    cli.api.post(&format!("{path}/run"), &json!({})).await.ok();
    let summaries = format!("{path}/event_summaries?limit=1&expand=event");
    let event = wait_for(PATIENCE, "the event", async || {
        let events = cli.api.get(&summaries).await.ok();
        events.get(0).map(|event| event["event"].clone())
    })
    .await;
    assert_eq!(&event, expected, "{case}");
}

#[tokio::test]
async fn optional_values_are_removed() {
    let cli = Cli::new().await;
    let code = component(
        "Optional",
        "color: { type: 'string', label: 'Color', optional: true, options: ['red'] },
         flag: { type: 'boolean', label: 'Flag', optional: true },
         place: { type: 'string', label: 'Place', optional: true, options() { return ['hill']; } },
         kept: { type: 'string', label: 'Kept', optional: true, options() { return ['hill']; } }",
    );
    let values = json!({ "color": "red", "flag": true, "place": "hill", "kept": "valley" });
    let id = source(&cli.api, &code, "Optional", values).await;
    let mut person = Person::at(cli.terminal(&["update", &id, "--prompt-all"]));
    for label in ["Color", "Flag", "Place"] {
        let step = json!({ "prop": label, "pick": "(leave empty)" });
        person.answer(&step).await;
    }
    let step = json!({ "prop": "Kept", "pick": "(keep valley)" });
    person.answer(&step).await;
    person.ends().await;
    let source = cli.only_source().await;
    assert_eq!(source["configured_props"], json!({ "kept": "valley" }));
}
