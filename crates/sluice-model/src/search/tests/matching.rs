//! What matches, in tables.

use serde_json::{Value, json};

use super::{Plain, query};
use crate::search::{Needle, SearchQuery};

fn order() -> Value {
    json!({
        "status": "paid in full", "total": 120.5, "id": "A-17", "code": "0042", "test": false, "note": null,
        "customer": { "name": "Köln Ltd", "e.mail": "ada@example.com", "since": "2026-01-31T09:00:00Z" },
        "items": [{ "sku": "B-1", "n": 2 }, { "sku": "C-9", "n": 5 }], "tags": ["new", "eu"],
        "quote": "say \"hi\"\\", "url": "https://example.com/a:b",
    })
}

fn check(expected: bool, queries: &[&str]) {
    let record = Plain(order());
    for text in queries {
        assert_eq!(query(text).matches(&record), expected, "{text}");
    }
}

#[test]
fn words_and_phrases_are_found_in_keys_and_values() {
    check(
        true,
        &[
            "paid",
            "PAID",
            "aid",
            "customer",
            "köln",
            "KÖLN",
            "\"in full\"",
        ],
    );
    check(
        true,
        &[
            "120.5",
            "false",
            "\"say \\\"hi\\\"\"",
            "\"\\\\\"",
            "paid total 0042",
        ],
    );
    check(
        true,
        &[
            "pa*full",
            "*hi*",
            "https://example.com/a:b",
            "e.mail",
            "i\"\\",
        ],
    );
    check(
        false,
        &[
            "refunded",
            "\"full in\"",
            "paid refunded",
            "full*paid",
            "\"pa*full\"",
        ],
    );
}

#[test]
fn fields_have_paths_and_values() {
    check(
        true,
        &[
            "status:\"paid in full\"",
            "status:\"Paid IN full\"",
            "total:120.5",
            "total:120.50",
            "total:\"120.5\"",
            "id:a-17",
            "code:42",
            "code:0042",
            "test:false",
            "note:null",
            "customer.name:\"köln ltd\"",
            "customer.\"e.mail\":ada@example.com",
            "\"customer\".name:*",
            "items.sku:C-9",
            "items.1.sku:C-9",
            "tags:eu",
            "tags.0:new",
            "url:\"https://example.com/a:b\"",
        ],
    );
    check(
        false,
        &[
            "status:paid",
            "Status:*",
            "total:120",
            "customer:\"Köln Ltd\"",
            "customer.e.mail:*",
            "items.0.sku:C-9",
            "tags.0:eu",
            "missing:*",
            "note:*",
            "status.deeper:*",
            "tags.7:*",
        ],
    );
}

#[test]
fn fields_are_compared_as_numbers_or_as_text() {
    check(
        true,
        &[
            "total:>100",
            "total:>=120.5",
            "total:<1e3",
            "total:<=120.5",
            "total:100..200",
            "total:120.5..120.5",
            "total:>-5",
            "code:>41",
            "items.n:>4",
            "customer.since:>2026-01-31",
            "customer.since:<2026-02",
            "customer.since:2026-01..2026-02",
            "status:!=paid",
            "items.n:!=3",
            "total:!=120",
        ],
    );
    check(
        false,
        &[
            "total:>120.5",
            "total:<100",
            "total:>abc",
            "status:>5",
            "total:200..300",
            "items.n:>5",
            "test:>0",
            "missing:!=1",
            "total:!=120.5",
            "items.n:!=5",
            "missing:<5",
            "note:<5",
        ],
    );
}

#[test]
fn wildcards_stand_for_any_text() {
    check(
        true,
        &[
            "status:paid*",
            "status:*FULL",
            "status:p*d*l",
            "id:*",
            "customer.\"e.mail\":*@*.com",
            "total:12*",
        ],
    );
    check(
        false,
        &[
            "status:aid*",
            "status:*pai",
            "status:paid*paid*",
            "status:\"paid*\"",
            "customer:*K*",
        ],
    );
}

#[test]
fn a_minus_negates_a_term() {
    check(
        true,
        &[
            "-refunded",
            "-status:paid",
            "-missing:*",
            "paid -refunded",
            "-total:>500",
        ],
    );
    check(false, &["-paid", "-status:*", "-total:>100", "paid -full"]);
}

#[test]
fn a_blank_query_is_none() {
    for text in ["", " ", "\n\t"] {
        assert_eq!(SearchQuery::parse(text), Ok(None));
    }
}

#[test]
fn needles_are_texts_that_every_match_has() {
    let text = |text: &str| Needle::Text(text.to_owned());
    let field = |root: &str, text: &str| Needle::Field {
        root: root.to_owned(),
        text: text.to_owned(),
    };
    let of = |text: &str| query(text).needles();
    assert_eq!(of("Paid"), [text("paid")]);
    assert_eq!(of("köln"), [text("ln")]);
    assert_eq!(of("ab*cde"), [text("cde"), text("ab")]);
    assert_eq!(of("\"say \\\"hi\\\"\""), [text("say ")]);
    assert_eq!(of("items.0.sku:>5"), [field("items", "\"sku\"")]);
    assert_eq!(
        of("status:Paid"),
        [field("status", "\"status\""), field("status", "paid")]
    );
    assert_eq!(of("total:100"), [field("total", "\"total\"")]);
    assert_eq!(of("-paid -status:x"), []);
    assert_eq!(of("a bb ccc dddd").len(), 3);
}

#[test]
fn a_required_value_is_an_exact_one() {
    assert_eq!(
        query("x state:failed").required_value("state"),
        Some("failed")
    );
    for text in [
        "-state:failed",
        "state:f*",
        "state:!=failed",
        "state.x:failed",
        "failed",
    ] {
        assert_eq!(query(text).required_value("state"), None, "{text}");
    }
}
