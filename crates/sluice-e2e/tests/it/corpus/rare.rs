//! Features that few components use: files, app hooks, data stores, queries and requests that are configured.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::Method;

use super::{
    acme_api::AcmeApi,
    stage::{Stage, address, user},
};
use crate::support::{Deployed, Form, deploy_with};

async fn outcome(source: &Deployed) -> Value {
    source.run(json!({})).await;
    source.events(1).await.remove(0)
}

#[rstest]
#[tokio::test]
async fn row_files_are_kept_in_the_temporary_folder_and_in_dir_props(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let before = [
        form.import_whole("fs", "fs"),
        form.import_whole("os", "os"),
        form.import_whole("path", "path"),
        form.import("pipeline", "stream/promises"),
    ]
    .concat();
    let code = form.module(
        &before,
        "props: { syncDir: { type: 'dir', accessMode: 'read-write', sync: true } }, async run() {
            const file = path.join(os.tmpdir(), 'report.csv');
            await fs.promises.writeFile(file, 'a,b');
            const copy = path.join(this.syncDir.path, 'copy.csv');
            await pipeline(fs.createReadStream(file), fs.createWriteStream(copy));
            this.$emit([fs.readFileSync(copy, 'utf8'), fs.readdirSync(`${process.env.STASH_DIR || '/tmp'}`).includes('copy.csv')]);
         }",
    );
    let source = deploy_with(&user().await, &code, json!({})).await;
    assert_eq!(outcome(&source).await, json!(["a,b", true]));
}

#[rstest]
#[tokio::test]
async fn row_the_platform_gives_streams_of_files_errors_and_constants(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let before = [
        form.import_whole("fs", "fs"),
        form.import(
            "ConfigurationError, getFileStream, getFileStreamAndMetadata",
            "@pipedream/platform",
        ),
    ]
    .concat();
    let code = form.module(
        &before,
        "props: { url: 'string' }, methods: { async text(stream) { const chunks = []; for await (const chunk of stream) chunks.push(chunk); return Buffer.concat(chunks).toString(); } },
         async run() {
            const file = `${process.env.STASH_DIR || '/tmp'}/a.txt`;
            fs.writeFileSync(file, 'from a file');
            const { stream, metadata } = await getFileStreamAndMetadata(file);
            this.$emit([await this.text(stream), metadata.name, metadata.size, (await this.text(await getFileStream(this.url))).includes('Acme')]);
            throw new ConfigurationError('set it up first');
         }",
    );
    let url = address("acme/package.json");
    let source = deploy_with(&user().await, &code, json!({ "url": url })).await;
    assert_eq!(
        outcome(&source).await,
        json!(["from a file", "a.txt", 11, true])
    );
    let error = source.errors(1).await.remove(0);
    assert_eq!(error["error"]["code"], "ConfigurationError");
    assert_eq!(error["error"]["msg"], "set it up first");
}

#[rstest]
#[tokio::test]
async fn row_an_apphook_gets_what_the_app_sends(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
    #[values("eventNames: ['message']", "eventNames() { return [this.channel]; }")] names: &str,
) {
    let code = form.module(
        "const chat = { type: 'app', app: 'unknown_here' };",
        &format!(
            "props: {{ chat, hook: {{ type: '$.interface.apphook', appProp: 'chat', {names} }} }},
             run(event) {{ if (event.type === 'message') this.$emit(event.text); }}"
        ),
    );
    let source = deploy_with(&user().await, &code, json!({})).await;
    let hook = &source.source["configured_props"]["hook"]["endpoint_url"];
    let url = hook.as_str().expect("an address");
    let message = json!({ "type": "message", "text": "hello" });
    let request = source.api.absolute(Method::POST, url).json(&message);
    request.send().await.expect(200);
    assert_eq!(source.events(1).await, ["hello"]);
}

#[rstest]
#[tokio::test]
async fn row_a_data_store_is_shared_and_a_query_and_a_request_are_configured(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let stage = Stage::enter().await;
    let code = form.module(
        "",
        "props: { store: 'data_store', query: { type: 'sql', auth: { app: 'unknown_here' } }, request: 'http_request' },
         async run() {
            await this.store.set('visits', (await this.store.get('visits') ?? 0) + 1);
            const { data: { customers } } = await this.request.execute();
            this.$emit([await this.store.get('visits'), await this.store.has('nothing'), this.query.query, customers.length]);
         }",
    );
    let props = json!({
        "store": "visits",
        "query": "select 1",
        "request": {
            "url": format!("{}/customers", AcmeApi::shared().url()), "method": "GET",
            "headers": [{ "name": "x-api-key", "value": stage.key }],
        },
    });
    for visits in [1, 2] {
        let source = deploy_with(&stage.api, &code, props.clone()).await;
        assert_eq!(
            outcome(&source).await,
            json!([visits, false, "select 1", 2])
        );
    }
}
