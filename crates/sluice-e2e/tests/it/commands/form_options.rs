//! Choices that the component gives while somebody fills in the form.

use serde_json::json;
use sluice_testkit::{Key, Terminal};

use super::fixtures::{Cli, Folder, component};

/// A terminal that deploys a component with this prop `p`.
fn asked(cli: &Cli, folder: &Folder, prop: &str) -> Terminal {
    folder.put(
        "c.mjs",
        &component("Choosy", &format!("p: {{ label: 'Pick one', {prop} }}")),
    );
    let file = folder.join("c.mjs");
    cli.terminal(&["deploy", file.to_str().unwrap(), "--no-follow"])
}

#[tokio::test]
async fn they_come_page_by_page() {
    let cli = Cli::new().await;
    let folder = Folder::new();
    let mut terminal = asked(
        &cli,
        &folder,
        "type: 'string', async options({ page, prevContext }) {
            if (page > 1) return [];
            return { options: [{ label: `First of ${page} after ${prevContext.last ?? 'nothing'}`, value: `p${page}` }], context: { last: page } };
        }",
    );
    terminal.wait_for_text("First of 0 after nothing").await;
    terminal.type_line("more");
    terminal.wait_for_text("First of 1 after 0").await;
    terminal.type_line("more");
    terminal.wait_for_text("No more options").await;
    terminal.type_line("of 1");
    assert_eq!(terminal.exit_code().await, 0);
    assert_eq!(
        cli.only_source().await["configured_props"],
        json!({ "p": { "__lv": { "label": "First of 1 after 0", "value": "p1" } } })
    );
}

#[tokio::test]
async fn they_are_searched_for_where_the_prop_says_so() {
    let cli = Cli::new().await;
    let folder = Folder::new();
    let mut terminal = asked(
        &cli,
        &folder,
        "type: 'string', useQuery: true, options({ query }) { return query ? [`found-${query}`] : ['at-first']; }",
    );
    terminal.wait_for_text("at-first").await;
    terminal.type_line("search…");
    terminal.wait_for_text("Search Pick one").await;
    terminal.type_line("me");
    terminal.wait_for_text("found-me").await;
    assert!(!terminal.screen().contains("> at-first"));
    terminal.press(Key::Enter);
    assert_eq!(terminal.exit_code().await, 0);
    assert_eq!(
        cli.only_source().await["configured_props"],
        json!({ "p": "found-me" })
    );
}

#[tokio::test]
async fn a_value_of_ones_own_is_taken_too() {
    let cli = Cli::new().await;
    let folder = Folder::new();
    let mut terminal = asked(
        &cli,
        &folder,
        "type: 'integer', options() { return [1, 2]; }",
    );
    terminal.wait_for_text("Type a value…").await;
    terminal.type_line("type");
    terminal
        .wait_for("the question without choices", |screen| {
            !screen.contains("Search") && screen.trim_end().ends_with("Pick one")
        })
        .await;
    terminal.type_line("33");
    assert_eq!(terminal.exit_code().await, 0);
    assert_eq!(
        cli.only_source().await["configured_props"],
        json!({ "p": 33 })
    );
}

#[tokio::test]
async fn several_are_picked_from_several_pages() {
    let cli = Cli::new().await;
    let folder = Folder::new();
    let mut terminal = asked(
        &cli,
        &folder,
        "type: 'string[]', options({ page }) { return page < 2 ? [`a${page}`, `b${page}`] : []; }",
    );
    terminal.wait_for_text("b0").await;
    terminal.press(Key::Space);
    terminal.press(Key::Down);
    terminal.press(Key::Down);
    terminal.press(Key::Space);
    terminal.press(Key::Enter);
    terminal.wait_for_text("b1").await;
    // The chosen one is the first row and still chosen.
    terminal.press(Key::Down);
    terminal.press(Key::Down);
    terminal.press(Key::Down);
    terminal.press(Key::Space);
    terminal.press(Key::Enter);
    assert_eq!(terminal.exit_code().await, 0);
    assert_eq!(
        cli.only_source().await["configured_props"],
        json!({ "p": ["a0", "b1"] })
    );
}

#[tokio::test]
async fn a_method_that_fails_shows_its_error_and_the_value_is_typed() {
    let cli = Cli::new().await;
    let folder = Folder::new();
    let mut terminal = asked(
        &cli,
        &folder,
        "type: 'string', options() { throw new TypeError('no luck\\u001b[2J'); }",
    );
    terminal
        .wait_for_text("cannot load options: TypeError: no luck")
        .await;
    terminal.wait_for_text("Pick one").await;
    terminal.type_line("mine");
    assert_eq!(terminal.exit_code().await, 0);
    assert_eq!(
        cli.only_source().await["configured_props"],
        json!({ "p": "mine" })
    );
}
