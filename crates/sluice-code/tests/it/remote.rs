//! Components at URLs.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use serde_json::json;
use sluice_code::{CodeTree, FileError, LinkOptions, Location, RemoteFiles, link};

use sluice_model::CodeError;

use crate::support::{Tree, run};

const HOST: &str = "https://example.com/repo";

/// Serves the files from memory, and tells what was asked for.
async fn linked(files: &[(&str, &str)]) -> (Result<CodeTree, Vec<CodeError>>, Vec<String>) {
    let served: HashMap<String, String> = files
        .iter()
        .map(|(path, text)| (format!("{HOST}/{path}"), (*text).to_owned()))
        .collect();
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&asked);
    let remote = RemoteFiles::new(move |address: url::Url| {
        log.lock()
            .expect("no thread panicked")
            .push(address.to_string());
        let text = served.get(address.as_str()).cloned();
        async move {
            tokio::task::yield_now().await;
            Ok::<_, FileError>(text)
        }
    });
    let entry = Location::new(format!("{HOST}/{}", files[0].0));
    let made = link(&entry, remote, LinkOptions::default()).await;
    let mut asked = std::mem::take(&mut *asked.lock().expect("no thread panicked"));
    asked.sort();
    (made, asked)
}

#[tokio::test]
async fn the_files_beside_an_address_are_fetched_once_each() {
    let (made, asked) = linked(&[
        (
            "acme/sources/new.ts?token=1",
            "import app from '../acme.app'; import { twice } from './common/util.js'; import './common/other.mjs'; export default [app, twice(2)];",
        ),
        ("acme/acme.app.ts", "export default 'app' as string"),
        ("acme/sources/common/util.ts", "export const twice = (n: number) => n * 2;"),
        ("acme/sources/common/other.mjs", "import app from '../../acme.app.ts'; import '/repo/root.mjs'; export default app;"),
        ("root.mjs", ""),
    ])
    .await;
    let made = made.expect("it can be linked");
    let mut once = asked.clone();
    once.dedup();
    assert_eq!(asked, once);
    assert_eq!(
        asked.len(),
        6,
        "one more than there are files, for util.js: {asked:?}"
    );
    let other = Tree::of(&[]);
    let ran = run(&[other.lay_out(&made)]);
    assert_eq!(
        ran[0]["exports"]["default"],
        json!(["app", 4]),
        "{}",
        ran[0]
    );
}

#[tokio::test]
async fn errors_name_urls() {
    let (made, _) = linked(&[
        (
            "a.mjs",
            "import { x } from './b.mjs'; import './no.mjs'; export default x;",
        ),
        ("b.mjs", "export const y = 1;"),
    ])
    .await;
    let errors: Vec<String> = made
        .expect_err("there are errors")
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(
        errors.contains(&format!("{HOST}/a.mjs:1:37: `./no.mjs` names no file")),
        "{errors:?}"
    );
}

#[tokio::test]
async fn an_address_cannot_lead_to_files_of_the_machine() {
    let (made, _) = linked(&[(
        "a.mjs",
        "import '../../../../../../../../../../etc/hostname'; import 'file:///etc/hostname'; export default 1;",
    )])
    .await;
    assert_eq!(made.expect_err("there are errors").len(), 2);
}

#[tokio::test]
async fn a_fetch_that_fails_is_an_error_at_the_import() {
    let remote = RemoteFiles::new(|address: url::Url| async move {
        if address.path() == "/a.mjs" {
            return Ok(Some("import './b.mjs';".to_owned()));
        }
        Err(FileError::Unreadable {
            location: Location::new(address),
            reason: "503 Service Unavailable".to_owned(),
        })
    });
    let entry = Location::new("https://example.com/a.mjs");
    let errors = link(&entry, remote, LinkOptions::default())
        .await
        .expect_err("there is an error");
    assert_eq!(
        errors[0].to_string(),
        "https://example.com/a.mjs:1:8: https://example.com/b.mjs cannot be read: 503 Service Unavailable"
    );
}
