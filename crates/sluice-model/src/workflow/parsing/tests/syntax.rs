//! Texts that are no YAML, or YAML that makes no sense here.

use super::*;

#[test]
fn text_that_is_not_yaml_is_an_error_with_its_position() {
    assert_eq!(
        errors("name: x\nsteps: [1, 2\n"),
        ["line 2, column 13: this is not YAML: while parsing a flow sequence, expected ',' or ']'"]
    );
    assert_eq!(
        errors("name: x\nsteps:\n\t- name: a"),
        [
            "line 3, column 2: this is not YAML: tabs disallowed within this context (block indentation)"
        ]
    );
    assert_eq!(
        errors("name: *other"),
        ["line 1, column 7: this is not YAML: while parsing node, found unknown anchor"]
    );
}

#[test]
fn an_empty_document_is_an_error() {
    for text in ["", "\n\n", "# nothing\n", "---\n...\n"] {
        let errors = errors(text);
        assert_eq!(errors.len(), 1, "{text:?}: {errors:?}");
    }
    assert_eq!(errors(""), ["line 1, column 1: the document is empty"]);
    assert_eq!(
        errors("hello"),
        ["line 1, column 1: must be an object, not a string"]
    );
}

#[test]
fn a_second_document_is_an_error() {
    assert_eq!(
        errors(&format!("name: x\n{STEPS}---\nname: y\n")),
        ["line 5, column 1: a second document begins here, but a file holds one workflow"]
    );
}

#[test]
fn duplicate_keys_are_errors() {
    assert_eq!(
        errors(&format!("name: x\nname: y\n{STEPS}")),
        ["line 2, column 1: name: `name` is there twice; the first is on line 1"]
    );
    assert_eq!(
        errors(
            "{\"name\": \"x\", \"steps\": [{\"name\": \"a\", \"code\": \"x\", \"props\": {\"a\": 1,\n\"a\": 2}}]}"
        ),
        ["line 2, column 1: steps[0].props.a: `a` is there twice; the first is on line 1"]
    );
}

#[test]
fn keys_that_are_not_text_are_errors() {
    let text = format!(
        "name: x\n{STEPS}    props:\n      404: a\n      ? [1]\n      : b\n      true: c\n"
    );
    assert_eq!(
        errors(&text),
        [
            "line 6, column 7: steps[0].props: a key must be a string; put `404` in quotes",
            "line 7, column 9: steps[0].props: a key must be a string",
            "line 9, column 7: steps[0].props: a key must be a string; put `true` in quotes",
        ]
    );
}

#[test]
fn merge_keys_and_tags_are_errors() {
    let text = format!(
        "name: !!str x\n{STEPS}    props: &p\n      n: !custom 5\n  - name: b\n    <<: *p\n    code: x"
    );
    assert_eq!(
        errors(&text),
        [
            "line 1, column 7: name: has a tag, `str`; tags are not supported",
            "line 6, column 10: steps[0].props.n: has a tag, `custom`; tags are not supported",
            "line 8, column 5: steps[1]: merge keys (<<) are not part of YAML 1.2; write the fields out",
        ]
    );
}

#[test]
fn an_expression_without_quotes_is_an_error() {
    for (line, column) in [
        ("url: {{ steps.a.x }}", 12),
        ("url: {{ steps.a.x }}/{{ b }}", 12),
        ("url: {{ steps['a'] ? 1 : 2 }}", 12),
        ("url: [{{ event }}]", 13),
    ] {
        let errors = errors(&format!("name: x\n{STEPS}    props:\n      {line}\n"));
        let [error] = errors.as_slice() else {
            panic!("{line}: {errors:?}");
        };
        let position = format!("line 6, column {column}: ");
        assert!(
            error.starts_with(&position) && error.contains("needs quotes"),
            "{line}: {error}"
        );
    }
}

#[test]
fn nul_characters_are_errors() {
    assert_eq!(
        errors(&format!("name: \"a\\0\"\n{STEPS}")),
        ["line 1, column 7: name: must not contain NUL characters"]
    );
    let json = r#"{"name": "x", "steps": [{"name": "a", "code": "x", "props": {"\u0000": 1}}]}"#;
    assert_eq!(
        errors(json),
        [r#"line 1, column 62: steps[0].props["\0"]: a key must not contain NUL characters"#]
    );
}
