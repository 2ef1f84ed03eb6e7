//! Code that would exhaust a stack is refused, and ends nothing else.

use crate::support::Tree;

/// How code can be nested: what stands before each level, in the middle, and after each level.
const WAYS: [(&str, &str, &str); 14] = [
    ("(", "1", ")"),
    ("[", "1", "]"),
    ("x = {a:", "1", "}"),
    ("`${", "1", "}`"),
    ("(function(){", "", "})"),
    ("{", "", "}"),
    ("!", "1", ""),
    ("typeof ", "1", ""),
    ("x=>", "1", ""),
    ("a?b:", "1", ""),
    ("if(a)", "b", ""),
    ("", "a", "+1"),
    ("", "a", ".b()"),
    ("", "if(a);", "else if(a);"),
];

fn nested((before, middle, after): (&str, &str, &str), levels: usize) -> String {
    format!("{}{middle}{}", before.repeat(levels), after.repeat(levels))
}

#[tokio::test]
async fn code_that_is_nested_too_deeply_is_a_fault() {
    for way in WAYS {
        let tree = Tree::of(&[
            ("a.cjs", "require('./b.cjs')"),
            ("b.cjs", &nested(way, 30_000)),
        ]);
        let faults = tree.bundle("a.cjs").await.expect_err("there is a fault");
        assert_eq!(
            faults[0].to_string(),
            "a.cjs:1:9: b.cjs is nested too deeply",
            "{way:?}"
        );
    }
}

#[tokio::test]
async fn code_that_is_nested_as_people_do_is_fine() {
    for way in WAYS {
        let tree = Tree::of(&[("a.cjs", &nested(way, 60))]);
        let bundle = tree.bundle("a.cjs").await;
        assert!(bundle.is_ok(), "{way:?}: {bundle:?}");
    }
}

#[tokio::test]
async fn json_that_is_nested_too_deeply_is_a_fault() {
    let tree = Tree::of(&[
        ("a.mjs", "import './b.json';"),
        ("b.json", &nested(("[", "", "]"), 30_000)),
    ]);
    let faults = tree.bundle("a.mjs").await.expect_err("there is a fault");
    assert_eq!(
        faults[0].to_string(),
        "a.mjs:1:8: b.json is nested too deeply"
    );
}
