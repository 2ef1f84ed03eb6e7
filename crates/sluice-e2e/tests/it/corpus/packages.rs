//! npm packages, by name and by version, and what they expect to find around them.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Registry, Server};

use super::stage::{options, user};
use crate::support::{Form, deploy};

#[rstest]
#[tokio::test]
async fn row_other_packages_work_side_by_side(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let before = [
        form.import_whole("_", "lodash"),
        form.import_whole("moment", "moment"),
        form.import_whole("md5", "md5"),
        form.import_whole("qs", "qs"),
        form.import_whole("retry", "async-retry"),
        form.import_whole("Bottleneck", "bottleneck"),
        form.import_whole("FormData", "form-data"),
        form.import("v4", "uuid"),
    ]
    .concat();
    let code = form.module(
        &before,
        "async run() {
            const limiter = new Bottleneck({ maxConcurrent: 1 });
            const tries = await limiter.schedule(() => retry((_, attempt) => attempt));
            this.$emit([_.chunk([1, 2, 3], 2), moment.utc(0).format('YYYY'), md5('a'), qs.stringify({ a: { b: 1 } }, { encode: false }), v4().length, tries, new FormData().getBoundary().length > 9]);
         }",
    );
    let source = deploy(&user().await, &code).await;
    source.run(json!({})).await;
    let md5 = "0cc175b9c0f1b6a831c399e269772661";
    assert_eq!(
        source.events(1).await,
        [json!([[[1, 2], [3]], "1970", md5, "a[b]=1", 36, 1, true])]
    );
}

#[rstest]
#[tokio::test]
async fn row_a_specifier_may_name_a_version(#[values(Form::CommonJs, Form::EsModule)] form: Form) {
    let registry = Registry::installed();
    for name in ["corpus-exact", "corpus-range"] {
        for version in ["1.2.0", "1.3.0", "2.0.0"] {
            let code = format!("module.exports = '{version}';");
            registry.publish(name, version, json!({}), &[("index.js", &code)]);
        }
    }
    let before = [
        form.import_whole("exact", "corpus-exact@1.2.0"),
        form.import_whole("range", "corpus-range@^1.2.0"),
        form.import_whole("newest", "corpus-exact"),
    ]
    .concat();
    let code = form.module(&before, "run() { this.$emit([exact, range, newest]); }");
    let server = Server::start(options().registry(registry)).await;
    let source = deploy(&server.api(), &code).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!(["1.2.0", "1.3.0", "2.0.0"])]);
}

#[rstest]
#[tokio::test]
async fn what_packages_ask_of_their_surroundings_at_load_is_there(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let before = format!(
        "{}{}
        const colors = Object.keys(process.env).filter((name) => /^debug_/i.test(name));
        const relative = new Request('/path').url;
        const system = [typeof os.release(), typeof os.homedir(), typeof os.hostname(), Array.isArray(os.cpus()), typeof os.userInfo().username, typeof process.getuid?.()];
        const inner = createRequire(process.cwd() + '/x.js')('node:path').sep;",
        form.import_whole("os", "os"),
        form.import("createRequire", "module"),
    );
    let code = form.module(
        &before,
        "run() { this.$emit({ colors, relative, system, inner }); }",
    );
    let source = deploy(&user().await, &code).await;
    source.run(json!({})).await;
    let seen = source.events(1).await.remove(0);
    assert_eq!(
        seen,
        json!({
            "colors": [], "relative": "http://localhost/path", "inner": "/",
            "system": ["string", "string", "string", true, "string", "number"],
        })
    );
}

#[rstest]
#[tokio::test]
async fn row_the_environment_can_be_read_and_holds_little(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let code = form.module(
        "const region = process.env.AWS_REGION || 'nowhere'; const { STASH_DIR } = process.env;",
        "run() { this.$emit([region, typeof STASH_DIR, process.env.PD_COMPONENT, process.env.PIPEDREAM_WORKFLOW_ID ?? null, { ...process.env }.PATH ?? null]); }",
    );
    let source = deploy(&user().await, &code).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!(["nowhere", "string", source.id, null, null])]
    );
}
