//! Real packages, as they are published, under the sandbox.

use serde_json::{Value, json};
use sluice_testkit::Api;

use super::{emitting, importing, outcome};
use crate::support::new_user;

async fn both_forms(api: &Api, name: &str, expression: &str, expected: Value) {
    let commonjs = emitting(&expression.replace("PACKAGE", &format!("require('{name}')")));
    assert_eq!(outcome(api, &commonjs).await, expected, "require {name}");
    let module = importing(
        &format!("import it from '{name}';"),
        &expression.replace("PACKAGE", "it"),
    );
    assert_eq!(outcome(api, &module).await, expected, "import {name}");
}

#[tokio::test]
async fn everyday_packages_do_something_real_in_both_module_forms() {
    let api = new_user().await;
    for (name, expression, expected) in [
        (
            "lodash",
            "PACKAGE.chunk([1, 2, 3], 2)",
            json!([[1, 2], [3]]),
        ),
        (
            "md5",
            "PACKAGE('message')",
            json!("78e731027d8fd50ed642340b7c9a63b3"),
        ),
        (
            "qs",
            "PACKAGE.parse('a[b]=c')",
            json!({ "a": { "b": "c" } }),
        ),
        (
            "moment",
            "PACKAGE.utc(0).format('YYYY-MM-DD')",
            json!("1970-01-01"),
        ),
        (
            "bottleneck",
            "await new (PACKAGE)({ maxConcurrent: 1 }).schedule(async () => 5)",
            json!(5),
        ),
        (
            "async-retry",
            "await PACKAGE(async (_, n) => { if (n < 2) throw new Error('again'); return n; }, { minTimeout: 1 })",
            json!(2),
        ),
        (
            "axios",
            "PACKAGE.getUri({ url: 'http://a.test/', params: { b: 1 } })",
            json!("http://a.test/?b=1"),
        ),
        (
            "form-data",
            "(() => { const form = new (PACKAGE)(); form.append('a', 'b'); return form.getBuffer().toString().includes('name=\"a\"'); })()",
            json!(true),
        ),
    ] {
        both_forms(&api, name, expression, expected).await;
    }
}

#[tokio::test]
async fn packages_that_are_es_modules_only_can_be_imported() {
    let api = new_user().await;
    let code = importing(
        "import got from 'got'; import fetch, { Headers } from 'node-fetch'; import { v4 } from 'uuid'; import { z } from 'zod'; import * as cheerio from 'cheerio';",
        "[typeof got.get, typeof fetch, new Headers({ A: 'b' }).get('a'), v4().length, z.string().safeParse(5).success, cheerio.load('<b>x</b>')('b').text()]",
    );
    assert_eq!(
        outcome(&api, &code).await,
        json!(["function", "function", "b", 36, false, "x"])
    );
}

#[tokio::test]
async fn the_platform_package_and_the_type_wrappers_work() {
    let api = new_user().await;
    let code = importing(
        "import { axios, ConfigurationError, DEFAULT_POLLING_SOURCE_TIMER_INTERVAL } from '@pipedream/platform';
         import { defineSource } from '@pipedream/types';",
        "[typeof axios, new ConfigurationError('x').name, DEFAULT_POLLING_SOURCE_TIMER_INTERVAL, defineSource({ a: 1 }).a]",
    );
    assert_eq!(
        outcome(&api, &code).await,
        json!(["function", "ConfigurationError", 900, 1])
    );
}
