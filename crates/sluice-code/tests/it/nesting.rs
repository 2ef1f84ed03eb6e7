//! Code that could overflow the stack is rejected.

use crate::support::Tree;

/// Ways to nest code: the text before each level, in the middle, and after each level.
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
async fn deep_code_is_read_or_an_error() {
    for way in WAYS {
        let tree = Tree::of(&[
            ("a.cjs", "require('./b.cjs')"),
            ("b.cjs", &nested(way, 30_000)),
        ]);
        if let Err(errors) = tree.link("a.cjs").await {
            let error = errors[0].to_string();
            let expected = "b.cjs: SyntaxError: the code is nested too deeply";
            assert_eq!(error, expected, "{way:?}");
        }
    }
}

#[tokio::test]
async fn deep_code_that_does_not_parse_is_an_error() {
    for way in WAYS {
        let tree = Tree::of(&[
            ("a.cjs", "require('./b.cjs')"),
            ("b.cjs", &format!("{} )", nested(way, 30_000))),
        ]);
        let errors = tree.link("a.cjs").await.expect_err("there is an error");
        let error = errors[0].to_string();
        assert!(error.contains("SyntaxError"), "{way:?}: {error}");
    }
}

#[tokio::test]
async fn ordinary_nesting_is_fine() {
    for way in WAYS {
        let tree = Tree::of(&[("a.cjs", &nested(way, 60))]);
        let linked = tree.link("a.cjs").await;
        assert!(linked.is_ok(), "{way:?}: {linked:?}");
    }
}

#[tokio::test]
async fn deep_json_is_read() {
    let tree = Tree::of(&[
        ("a.mjs", "import './b.json';"),
        ("b.json", &nested(("[", "", "]"), 30_000)),
    ]);
    assert!(tree.link("a.mjs").await.is_ok());
}
