//! Properties of all queries.

use proptest::prelude::*;
use serde_json::Value;

use super::Plain;
use crate::search::SearchQuery;

fn text() -> impl Strategy<Value = String> {
    "[abAB1 .:äÄ\"\\\\\n*]{0,5}"
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        text().prop_map(Value::from),
        (-20_i64..200).prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec(("[abA]{1,2}", inner), 0..3)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn term() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?[abAB1äÄ*.]{1,3}",
        "-?\"[abAB1 äÄ]{1,3}\"",
        "-?[abA]{1,2}(\\.[ab0]{1,2})?:(|!=|>|<|>=)[abAB10äÄ*]{1,3}",
    ]
}

proptest! {
    #[test]
    fn any_text_is_parsed_or_refused_at_a_character_of_it(text in "[-\"\\\\:.*<>!=a1ä \\PC]{0,20}") {
        if let Err(error) = SearchQuery::parse(&text) {
            prop_assert!((1..=text.chars().count() + 1).contains(&error.position));
        }
    }

    #[test]
    fn every_match_has_the_needles_of_its_query(value in json(), terms in prop::collection::vec(term(), 1..3)) {
        let Ok(Some(query)) = SearchQuery::parse(&terms.join(" ")) else {
            return Ok(());
        };
        let written = value.to_string().to_ascii_lowercase();
        if query.matches(&Plain(value)) {
            for needle in query.needles() {
                prop_assert!(written.contains(needle.text()), "{:?} is not in {}", needle, written);
            }
        }
    }

    #[test]
    fn a_negated_term_matches_the_others(value in json(), term in "[abAB1äÄ.]{1,3}(:[abAB10äÄ]{1,3})?") {
        let parse = |text: &str| SearchQuery::parse(text).ok().flatten();
        if let Some((query, negated)) = parse(&term).zip(parse(&format!("-{term}"))) {
            let record = Plain(value);
            prop_assert_ne!(query.matches(&record), negated.matches(&record));
        }
    }
}
