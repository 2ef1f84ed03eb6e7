//! Documents that are made to hurt.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;
use crate::workflow::WorkflowDefinition;

fn only_error(text: &str) -> String {
    let started = Instant::now();
    let mut errors = errors(text);
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(errors.len(), 1, "{errors:#?}");
    errors.remove(0)
}

#[test]
fn a_billion_laughs_end_early() {
    let laughs = "a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha, ha]".to_owned();
    let levels = (1..30).map(|level| {
        let alias = format!("*a{}", level - 1);
        format!("a{level}: &a{level} [{}]", [alias.as_str(); 10].join(", "))
    });
    let text = [laughs]
        .into_iter()
        .chain(levels)
        .collect::<Vec<_>>()
        .join("\n");
    assert!(only_error(&text).contains("repeat too much"));
    let long = format!(
        "a: &a \"{}\"\nb: [{}]\n",
        "x".repeat(10_000),
        "*a, ".repeat(1000)
    );
    assert!(only_error(&long).contains("repeat too much"));
    assert!(only_error("a: &a [*a]").contains("something that it is part of"));
}

#[test]
fn deep_nesting_ends_early() {
    for (opening, closing) in [("[", "]"), ("{\"a\":", "}"), ("- ", ""), ("&a [", "]")] {
        for depth in [100, 10_000] {
            let text = format!("{}1{}", opening.repeat(depth), closing.repeat(depth));
            let error = only_error(&text);
            let expected = ["nested more than", "this is not YAML"];
            assert!(expected.iter().any(|part| error.contains(part)), "{error}");
        }
    }
    let errors = errors(&"? ".repeat(10_000));
    assert!(errors[2].contains("a key must be a string"), "{errors:?}");
    let deep = format!("{{\"name\": {}1{}}}", "[".repeat(100), "]".repeat(100));
    assert!(only_error(&deep).contains("nested more than 64 levels"));
}

#[test]
fn many_parts_and_many_errors_are_bounded() {
    let long = format!(
        "name: x\n{STEPS}    props: {{ list: [{}] }}\n",
        "1,".repeat(200_000)
    );
    assert!(only_error(&long).contains("more than 100000 parts"));
    let invalid = format!(
        "name: x\n{STEPS}settings: {{ {} }}\n",
        "a: 1, ".repeat(20_000)
    );
    assert_eq!(errors(&invalid).len(), 100);
    let key = "k".repeat(100_000);
    let long_key = format!(
        "{{\"name\": \"x\", \"{key}\": 1, \"steps\": [{{\"name\": \"a\", \"code\": \"x\"}}]}}"
    );
    assert!(only_error(&long_key).len() < 300);
}

#[test]
fn large_documents_take_no_longer_than_their_size() {
    let megabyte = 1 << 20;
    let one_line = format!("{{ name: x, list: [{}", "'a b', ".repeat(megabyte / 7));
    let empties = format!(
        "name: x\n{STEPS}    props: {{ a: '{}' }}\n",
        "{{}}".repeat(megabyte / 4)
    );
    let unknown: Vec<_> = (0..80_000).map(|key| format!("field_{key}: 1\n")).collect();
    let anchors = "&a x, ".repeat(megabyte / 6);
    let indented: Vec<_> = (0..1400)
        .map(|level| format!("{}- \n", " ".repeat(level)))
        .collect();
    let texts = [
        one_line,
        empties,
        unknown.concat(),
        format!("[{anchors}"),
        indented.concat(),
    ];
    for text in texts {
        let started = Instant::now();
        assert!(parse(&text).is_err());
        assert!(started.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn the_deepest_props_can_be_stored() {
    let levels = 60;
    let text = format!(
        "name: x\n{STEPS}    props: {{ deep: {}1{} }}\n",
        "[".repeat(levels),
        "]".repeat(levels)
    );
    let props = document(&text).steps.remove(0).props;
    let definition = serde_json::json!({
        "name": "x", "description": null, "env": {}, "triggers": [], "settings": {},
        "steps": [{
            "name": "a", "cell_id": "c_1", "component_id": "sc_1", "props": props,
            "timeout_seconds": null, "retry": {},
        }],
    });
    let stored = definition.to_string();
    let read: WorkflowDefinition = serde_json::from_str(&stored).expect("a definition");
    assert_eq!(read.steps[0].props, props);
}

/// Whatever the text, the parser answers, and its errors lie in it.
fn check(text: &str) -> Result<(), TestCaseError> {
    let Err(errors) = parse(text) else {
        return Ok(());
    };
    prop_assert!(!errors.is_empty());
    let lines: Vec<_> = text
        .replace("\r\n", "\n")
        .replace('\r', "\n")
        .lines()
        .map(str::to_owned)
        .collect();
    for error in &errors {
        prop_assert!(error.line >= 1 && error.column >= 1, "{}", error);
        let line = lines.get(error.line as usize - 1);
        prop_assert!(
            line.is_some() || (lines.is_empty() && error.line == 1),
            "{} in {:?}",
            error,
            text
        );
    }
    prop_assert!(errors.is_sorted_by_key(|error| (error.line, error.column)));
    Ok(())
}

proptest! {
    #[test]
    fn any_text_is_answered(text in any::<String>()) {
        check(&text)?;
    }

    #[test]
    fn any_yaml_like_text_is_answered(
        text in r#"(name|steps|triggers|env|code|props|http|: |- |\n|\n  |\n    |\r|\||>|"|'|\{|\}|\{\{|\}\}|\[|\]|,|&a|\*a|!!str|<<|~|1|\?|#|\t|\\|ä|---|\.\.\.|%|@|`|\x00){0,60}"#
    ) {
        check(&text)?;
    }

    #[test]
    fn any_slip_of_the_hand_is_answered(at in 0..400_usize, cut in 0..10_usize, insert in r#"[\n :{}"'\[\]\-a1&*|]{0,4}"#) {
        let text = include_str!("errors.yaml");
        let boundary = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let slipped = format!("{}{insert}{}", &text[..boundary(at)], &text[boundary(at + cut).max(boundary(at))..]);
        check(&slipped)?;
    }

    #[test]
    fn any_json_is_answered(text in r#"\{("name"|"steps"|"a\\u0041"|"\\\\"|"ä\\""|:|,|\{|\}|\[|\]|1|-2\.5e3|null|true| |\n|\r|\t){0,40}\}"#) {
        check(&text)?;
    }
}
