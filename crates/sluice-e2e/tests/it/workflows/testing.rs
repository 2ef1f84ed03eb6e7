//! Steps that are tested without being deployed, and the inputs that tests and runs show.

use serde_json::{Value, json};

use crate::{
    support::new_user,
    workflows::fixtures::{deploy_with, returned},
};

const SECRET: &str = "hunter2-hunter2";

/// Its second step fails if its event says so.
const DOCUMENT: &str = r#"name: Tested
env:
  TOKEN: { secret: true }
  PLACE: moon
steps:
  - name: load
    code: |
      export default defineComponent({
        props: {
          url: "string",
          password: { type: "string", secret: true },
          db: "$.service.db",
        },
        async run({ $ }) {
          const count = (this.db.get("count") ?? 0) + 1;
          this.db.set("count", count);
          $.send.http({ method: "POST", url: "http://127.0.0.1:1/", data: { count } });
          console.log("loading");
          return { count, test: $.context.test, length: this.password.length };
        },
      })
    props:
      url: "https://{{ process.env.PLACE }}.test/?t={{ process.env.TOKEN }}"
      password: "{{ process.env.TOKEN }}"
      large: "{{ event.large }}"
  - name: save
    code: |
      export default async function (event, steps, params) {
        if (event.fail) {
          throw new TypeError("as asked");
        }
        return [params.id, steps.load.$return_value.count];
      }
    props:
      id: "{{ event.order.id }}"
"#;

fn body(more: &Value) -> Value {
    let mut body = json!({ "document": DOCUMENT.replace("large: \"{{ event.large }}\"\n", "\n"), "secrets": { "TOKEN": SECRET } });
    body.as_object_mut()
        .expect("an object")
        .extend(more.as_object().expect("an object").clone());
    body
}

#[tokio::test]
async fn a_test_shows_inputs_without_secrets_and_keeps_nothing() {
    let api = new_user().await;
    let event = json!({ "order": { "id": 7 } });
    for _ in 0..2 {
        let test = api
            .post("/workflows/test", &body(&json!({ "event": event })))
            .await
            .ok();
        assert_eq!(test["state"], "succeeded", "{test}");
        assert!(!test.to_string().contains(SECRET), "{test}");
        let load = &test["steps"][0];
        let inputs = json!({ "url": "https://moon.test/?t=********", "password": "********" });
        assert_eq!(load["inputs"], inputs);
        let expected = json!({ "count": 1, "test": true, "length": SECRET.len() });
        assert_eq!(load["exports"]["$return_value"], expected);
        assert_eq!(load["logs"][0]["message"], "loading");
        assert_eq!(load["sends"][0]["state"], "shown");
        assert_eq!(load["sends"][0]["payload"]["data"]["count"], 1);
        assert_eq!(test["steps"][1]["inputs"], json!({ "id": 7 }));
        assert_eq!(returned(&test, "save"), &json!([7, 1]));
    }
}

#[tokio::test]
async fn errors_of_code_and_of_expressions_have_their_line_in_the_document() {
    let api = new_user().await;
    let event = json!({ "fail": true, "order": { "id": 7 } });
    let test = api
        .post("/workflows/test", &body(&json!({ "event": event })))
        .await
        .ok();
    let line = |text: &str| {
        let lines = DOCUMENT.lines().position(|line| line.contains(text));
        lines.expect("a line") + 1
    };
    let place = &test["error_place"];
    assert_eq!(place["line"], line("throw new TypeError"), "{test}");
    assert_eq!(test["steps"][1]["error"]["code"], "TypeError");
    let only = json!({ "step": "save", "only": true, "event": {} });
    let test = api.post("/workflows/test", &body(&only)).await.ok();
    assert_eq!(test["steps"][0]["error"]["prop"], "id", "{test}");
    assert_eq!(test["error_place"]["line"], line("id: \"{{ event.order.id"));
    assert_eq!(test["steps"][0]["inputs"], json!({}));
}

#[tokio::test]
async fn runs_record_inputs_and_truncate_large_ones() {
    let api = new_user().await;
    let document = DOCUMENT.replace(
        "props: {\n          url",
        "props: {\n          large: \"any\",\n          url",
    );
    let deployed = json!({ "document": document, "secrets": { "TOKEN": SECRET } });
    let workflow = deploy_with(&api, &deployed).await;
    let large = "x".repeat(100_000);
    let run = workflow
        .run_and_wait(&json!({ "large": large, "order": { "id": 7 } }))
        .await;
    assert_eq!(run["state"], "succeeded", "{run}");
    let inputs = &run["steps"][0]["inputs"];
    assert_eq!(inputs["url"], "https://moon.test/?t=********");
    assert_eq!(inputs["large"]["$truncated"], true, "{inputs}");
    assert_eq!(inputs["large"]["size"], large.len() + 2);
    // A test of the last step alone uses the exports of the run.
    let only = json!({ "workflow": workflow.id, "step": "save", "only": true, "from_run": "last" });
    let test = api.post("/workflows/test", &only).await.ok();
    assert_eq!(test["from_run"], run["id"]);
    assert_eq!(test["given"], json!(["load"]));
    assert_eq!(returned(&test, "save"), returned(&run, "save"));
}

#[tokio::test]
async fn a_step_that_never_ends_is_stopped_by_its_limit() {
    let api = new_user().await;
    let document = "name: Endless\nsteps:\n  - name: spin\n    timeout_seconds: 1\n    props: { n: 1 }\n    code: |\n      \
                    export default async () => { await new Promise(() => {}) }\n";
    let test = api
        .post("/workflows/test", &json!({ "document": document }))
        .await
        .ok();
    let step = &test["steps"][0];
    assert_eq!(step["error"]["code"], "Timeout", "{test}");
    assert_eq!(step["inputs"], json!({ "n": 1 }));
}
