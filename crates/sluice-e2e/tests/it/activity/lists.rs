//! Lists of sources and workflows: search, state, and the last day of each.

use serde_json::{Value, json};
use sluice_testkit::Api;

use super::fixtures::{counted, named, sums};
use crate::{
    api::fixtures::{Page, page, refused},
    support::new_user,
    workflows::fixtures as workflows,
};

const SOURCES: &str = "/users/me/sources";
const WORKFLOWS: &str = "/workflows";

fn names(list: &Page) -> Vec<String> {
    let names = list.each("name");
    names
        .iter()
        .map(|name| name.as_str().expect("a name").to_owned())
        .collect()
}

async fn workflow(api: &Api, name: &str) -> workflows::Workflow {
    let document = json!({ "name": name, "steps": [
        { "name": "only", "code": workflows::component(
            "if (steps.trigger.event.fail) throw new Error('as told')") },
    ] });
    workflows::deploy(api, &document.to_string()).await
}

#[tokio::test]
async fn sources_are_found_by_part_of_their_name_or_slug() {
    let api = new_user().await;
    for name in ["GitHub Issues", "Mail from Köln", "github_stars"] {
        named(&api, name).await;
    }
    named(&new_user().await, "github of somebody else").await;
    for (query, expected) in [
        ("github", &["github_stars", "GitHub Issues"][..]),
        ("HUB-ISS", &["GitHub Issues"]),
        ("b_s", &["github_stars"]),
        ("%25", &[]),
        ("k%C3%B6l", &["Mail from Köln"]),
        ("", &["github_stars", "Mail from Köln", "GitHub Issues"]),
    ] {
        let list = page(&api, &format!("{SOURCES}?q={query}")).await;
        assert_eq!(names(&list), expected, "{query}");
        assert_eq!(list.info["total_count"], expected.len(), "{query}");
    }
}

#[tokio::test]
async fn a_list_shows_only_what_is_in_a_state() {
    let api = new_user().await;
    let (calm, broken) = (named(&api, "calm").await, named(&api, "broken").await);
    let off = named(&api, "off").await;
    let body = json!({ "active": false });
    api.put(&off.path(""), &body).await.ok();
    broken.run(json!({ "fails": true })).await;
    calm.run(json!({ "emits": [[1]] })).await;
    let (fine, failed) = (workflow(&api, "Fine").await, workflow(&api, "Failed").await);
    fine.change(&body).await;
    failed.run_and_wait(&json!({ "fail": true })).await;
    counted(&api, (1, 2, 3)).await;
    for (list, state, expected) in [
        (SOURCES, "active", &["broken", "calm"][..]),
        (SOURCES, "inactive", &["off"]),
        (SOURCES, "failing", &["broken"]),
        (WORKFLOWS, "active", &["Failed"]),
        (WORKFLOWS, "inactive", &["Fine"]),
        (WORKFLOWS, "failing", &["Failed"]),
    ] {
        let found = page(&api, &format!("{list}?state={state}")).await;
        assert_eq!(names(&found), expected, "{list} {state}");
        assert_eq!(found.info["total_count"], expected.len());
    }
    let both = page(&api, &format!("{SOURCES}?state=active&q=CAL")).await;
    assert_eq!(names(&both), ["calm"]);
    let both = page(&api, &format!("{WORKFLOWS}?state=failing&q=fine")).await;
    assert!(both.rows.is_empty());
}

#[tokio::test]
async fn pages_of_a_filtered_list_are_full_until_the_last() {
    let api = new_user().await;
    for number in 0..12 {
        let name = if number % 3 == 0 { "other" } else { "wanted" };
        named(&api, &format!("{name} {number}")).await;
    }
    let mut pages: Vec<Vec<String>> = Vec::new();
    let mut after = String::new();
    loop {
        let list = page(&api, &format!("{SOURCES}?q=wanted&limit=3{after}")).await;
        if list.rows.is_empty() {
            break;
        }
        assert_eq!(list.info["total_count"], 8);
        after = format!("&after={}", list.end_cursor());
        pages.push(names(&list));
    }
    let numbers = |numbers: &[u32]| -> Vec<String> {
        numbers.iter().map(|n| format!("wanted {n}")).collect()
    };
    assert_eq!(
        pages,
        [numbers(&[11, 10, 8]), numbers(&[7, 5, 4]), numbers(&[2, 1])]
    );
}

#[tokio::test]
async fn the_last_day_of_each_is_shown_where_it_is_asked_for() {
    let api = new_user().await;
    let busy = named(&api, "busy").await;
    named(&api, "idle").await;
    workflow(&api, "Never run").await;
    busy.run(json!({ "emits": [[1], [2]] })).await;
    counted(&api, (2, 0, 1)).await;

    let list = page(&api, &format!("{SOURCES}?expand=activity")).await;
    let [idle, busy] = &list.rows[..] else {
        panic!("{:?}", list.rows)
    };
    assert_eq!(sums(&busy["activity"]), (2, 0, 1));
    assert!(busy["activity"]["last_event_at"].is_number());
    let nothing = json!({
        "last_event_at": null, "events": vec![0; 24], "errors": vec![0; 24], "invocations": vec![0; 24],
    });
    assert_eq!(idle["activity"], nothing);
    let list = page(&api, &format!("{WORKFLOWS}?expand=activity")).await;
    assert_eq!(list.rows[0]["activity"], nothing);
    let by_slug = api.get("/sources/busy?expand=activity").await.ok();
    assert_eq!(by_slug["activity"], busy["activity"]);

    for path in [SOURCES, WORKFLOWS] {
        for row in page(&api, path).await.rows {
            assert_eq!(row.get("activity"), None::<&Value>);
        }
    }
}

#[tokio::test]
async fn states_and_expansions_that_are_none_are_400() {
    let api = new_user().await;
    let source = named(&api, "one").await;
    let flow = workflow(&api, "One").await;
    for list in [SOURCES, WORKFLOWS] {
        for query in [
            "state=",
            "state=broken",
            "expand=",
            "expand=events",
            "q=%00",
        ] {
            refused(api.get(&format!("{list}?{query}")).await, 400);
        }
    }
    for path in [source.path(""), flow.path("")] {
        refused(api.get(&format!("{path}?expand=all")).await, 400);
    }
}
