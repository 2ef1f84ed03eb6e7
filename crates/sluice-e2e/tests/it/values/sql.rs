//! `sql` props: a query and its parameters.

use serde_json::json;

use super::{faults, with_props};
use crate::support::{deploy_with, new_user};

const PROPS: &str = "query: { type: 'sql', auth: { app: 'postgresql' } }";

#[tokio::test]
async fn a_query_is_read_with_its_parameters_as_a_list() {
    let api = new_user().await;
    let whole = json!({ "query": "select $1", "params": [1, "a"], "app": "postgresql" });
    for (given, expected) in [
        (
            json!("select 1"),
            json!({ "query": "select 1", "params": [] }),
        ),
        (
            json!({ "query": "select 1" }),
            json!({ "query": "select 1", "params": [] }),
        ),
        (whole.clone(), whole),
    ] {
        let code = with_props(PROPS, "this.$emit(this.query);");
        let source = deploy_with(&api, &code, json!({ "query": given })).await;
        source.run(json!({})).await;
        assert_eq!(source.events(1).await, [expected], "{given}");
    }
}

#[tokio::test]
async fn what_is_no_query_is_refused() {
    let api = new_user().await;
    for (given, fault) in [
        (json!(5), "query must be a query or an object with one"),
        (json!({ "params": [] }), "query must have a query"),
        (
            json!({ "query": "q", "params": {} }),
            "query must have params that are a list",
        ),
    ] {
        let refused = faults(&api, PROPS, json!({ "query": given })).await;
        assert_eq!(refused, json!([fault]));
    }
}
