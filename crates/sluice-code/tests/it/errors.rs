//! Errors have their positions and are reported all at once.

use std::time::Duration;

use sluice_code::{CodeTree, FileError, Limits, LinkOptions, Location, RemoteFiles, link};

use crate::support::Tree;

async fn errors(files: &[(&str, &str)]) -> Vec<String> {
    let tree = Tree::of(files);
    shown(tree.link(files[0].0).await)
}

fn shown(result: Result<CodeTree, Vec<sluice_model::CodeError>>) -> Vec<String> {
    let errors = result.expect_err("there is an error");
    errors.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn a_syntax_error_names_its_file_line_and_column() {
    let errors = errors(&[
        ("acme/a.mjs", "import './b.mjs';\nexport default 1;"),
        (
            "acme/b.mjs",
            "const fine = 1;\nconst é = {\n  name: 'é' oops\n};",
        ),
    ])
    .await;
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(
        errors[0].starts_with("acme/b.mjs:3:13: SyntaxError: "),
        "{errors:?}"
    );
}

#[tokio::test]
async fn an_import_of_nothing_names_the_file_that_imports_and_its_line() {
    for (entry, code, place) in [
        ("x/a.mjs", "// './no'\nimport a from './no';", "2:15"),
        ("x/a.mjs", "export const f = () => import('./no');", "1:31"),
        ("x/a.cjs", "const a =\n  require('./no');", "2:11"),
        (
            "x/a.ts",
            "let a: number = 1;\nexport * from './no';",
            "2:15",
        ),
    ] {
        assert_eq!(
            errors(&[(entry, code)]).await,
            [format!("{entry}:{place}: `./no` names no file")]
        );
    }
}

#[tokio::test]
async fn a_package_with_a_prefix_is_explained() {
    let errors = errors(&[(
        "a.mjs",
        "import axios from \"npm:axios@1\";\nimport path from 'jsr:@std/path';\nexport default axios;",
    )])
    .await;
    assert_eq!(
        errors,
        [
            "a.mjs:1:19: \"npm:axios@1\" has a prefix that components do not need: write \"axios@1\"",
            "a.mjs:2:18: \"jsr:@std/path\" is a package of jsr.io: components import packages of npm, such as \"axios\"",
        ]
    );
}

#[tokio::test]
async fn all_errors_are_reported_at_once() {
    let errors = errors(&[
        (
            "a.mjs",
            "import './b.mjs'; import './c.mjs'; import './gone.mjs'; import '../../out.mjs';",
        ),
        ("b.mjs", "import './lost.mjs'; import './d.json';"),
        ("c.mjs", "const = 1;"),
        ("d.json", "{\"a\": }"),
    ])
    .await;
    let starts = [
        "a.mjs:1:",
        "a.mjs:1:",
        "b.mjs:1:8: `./lost.mjs`",
        "c.mjs:1:7: SyntaxError",
        "d.json:1:",
    ];
    assert_eq!(errors.len(), starts.len(), "{errors:#?}");
    for (error, start) in errors.iter().zip(starts) {
        assert!(error.starts_with(start), "{start}: {errors:#?}");
    }
}

#[tokio::test]
async fn files_other_than_code_are_an_error() {
    assert_eq!(
        errors(&[("a.mjs", "import './b.css';"), ("b.css", "p {}")]).await,
        ["a.mjs:1:8: b.css is not JavaScript, TypeScript or JSON"]
    );
    assert_eq!(
        errors(&[("a.txt", "x")]).await,
        ["a.txt: a.txt is not JavaScript, TypeScript or JSON"]
    );
    let absent = shown(Tree::of(&[]).link("a.mjs").await);
    assert_eq!(absent, ["a.mjs: there is no such file"]);
}

#[tokio::test]
async fn nothing_outside_of_the_tree_is_read() {
    let outside = Tree::of(&[("secret.mjs", "export default 'secret'")]);
    let tree = Tree::of(&[("in/a.mjs", "import './link.mjs';")]);
    std::os::unix::fs::symlink(outside.path("secret.mjs"), tree.path("in/link.mjs"))
        .expect("a link can be made");
    assert_eq!(
        shown(tree.link("in/a.mjs").await),
        ["in/a.mjs:1:8: in/link.mjs is outside of the folder that holds the component"]
    );
    for specifier in [
        "../../../../../../etc/passwd",
        "/etc/passwd",
        "file:///etc/passwd",
        "https://example.com/a.mjs",
    ] {
        let code = format!("import x from {specifier:?}; export default x;");
        let errors = errors(&[("in/a.mjs", &code)]).await;
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].starts_with("in/a.mjs:1:15: "), "{errors:?}");
    }
}

#[tokio::test]
async fn too_many_files_or_bytes_are_one_clear_error() {
    let tree = Tree::of(&[
        (
            "a.mjs",
            "import './b.mjs'; import './c.mjs'; import './d.mjs'; import './e.mjs';",
        ),
        ("b.mjs", ""),
        ("c.mjs", ""),
        ("d.mjs", "// long enough to count"),
        ("e.mjs", "// long enough to count"),
    ]);
    for (limits, message) in [
        (
            Limits {
                files: 2,
                bytes: 1_000,
            },
            "more than 2 files",
        ),
        (
            Limits {
                files: 9,
                bytes: 90,
            },
            "more than 90 bytes",
        ),
    ] {
        let options = LinkOptions {
            limits,
            ..LinkOptions::default()
        };
        assert_eq!(
            shown(tree.link_with("a.mjs", options).await),
            [format!("the component is too large: {message}")]
        );
    }
}

#[tokio::test]
async fn files_that_never_come_end_in_an_error() {
    let files = RemoteFiles::new(|_| std::future::pending::<Result<Option<String>, FileError>>());
    let options = LinkOptions {
        time: Duration::from_millis(20),
        ..LinkOptions::default()
    };
    let entry = Location::new("https://example.com/a.mjs");
    let errors = shown(link(&entry, files, options).await);
    assert!(
        errors[0].starts_with("reading the files took longer"),
        "{errors:?}"
    );
}
