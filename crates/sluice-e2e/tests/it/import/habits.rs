//! Habits of the public registry in one tree: odd slugs and keys, fields of accounts, versions of packages, helper files,
//! samples. A check reports exactly what is broken.

use serde_json::{Value, json};
use sluice_testkit::{Registry, Server};

use super::Stage;
use crate::{
    support::own_server,
    workflows::fixtures::{deploy, returned},
};

/// The sound files of the tree.
const FILES: [(&str, &str); 19] = [
    // A slug that begins with an underscore.
    (
        "_99units/_99units.app.mjs",
        "export default { type: 'app', app: '_99units', methods: { key() { return this.$auth.api_key; } } };",
    ),
    (
        "_99units/actions/convert/convert.mjs",
        "import app from '../../_99units.app.mjs';
        export default { key: '_99units-convert', name: 'Convert', version: '0.0.1', type: 'action', props: { app },
          run() { return this.app.key(); } };",
    ),
    // A key that does not begin with its app.
    (
        "mail_box/mail_box.app.mjs",
        "export default { type: 'app', app: 'mail_box', methods: { connect() {
            const { host, port = 993, ca } = this.$auth;
            const token = this.$auth.token ?? 'none';
            return { host, port, token, ...(ca && { ca }), user: this.$auth?.user,
              ...(host ? { zone: this.$auth.zone } : {}) };
        } } };",
    ),
    (
        "mail_box/sources/new-mail/new-mail.mjs",
        "import mail from '../../mail_box.app.mjs';
        import sampleEmit from './test-event.mjs';
        export default { key: 'mailbox-new-mail', name: 'New Mail', version: '0.0.2', type: 'source', sampleEmit,
          props: { mail, db: '$.service.db', timer: { type: '$.interface.timer', default: { intervalSeconds: 60 } } },
          run() { this.$emit(this.mail.connect()); } };",
    ),
    (
        "mail_box/sources/new-mail/test-event.mjs",
        "export default { id: 7, subject: 'Hello' };",
    ),
    // An app whose fields are read in the code of another one.
    (
        "sheets/sheets.app.mjs",
        "import mail from '../mail_box/mail_box.app.mjs';
        export default { ...mail, app: 'sheets', methods: { ...mail.methods, read() { return this.$auth.oauth_access_token; } } };",
    ),
    (
        "sheets/actions/read/read.mjs",
        "import sheets from '../../sheets.app.mjs';
        export default { key: 'sheets-read', name: 'Read', version: '1.0.0', type: 'action', props: { sheets },
          run() { return this.sheets.read(); } };",
    ),
    // Fields that a helper reads of an app that is passed to it.
    (
        "board/board.app.mjs",
        "import { headers } from './common/headers.mjs';
        export default { type: 'app', app: 'board', methods: { get() { return headers(this); } } };",
    ),
    (
        "board/common/headers.mjs",
        "export const headers = (app) => ({ Authorization: app.$auth.board_key });",
    ),
    (
        "board/actions/common.mjs",
        "export default { props: {}, methods: {} };",
    ),
    (
        "board/sources/common.polling.mjs",
        "export default { props: {}, run() {} };",
    ),
    (
        "board/actions/notes/notes.mjs",
        "import board from '../../board.app.mjs';
        export default { key: 'board-notes', name: 'Notes', version: '0.1.0', type: 'action',
          props: { board, note: { type: 'alert', alertType: 'info', content: 'Notes are **public**.' },
            list: { type: 'string', options: [{ label: 'First', value: 1 }, { label: 'Second', value: 2 }] } },
          run() { return [this.list, this.board.get()]; } };",
    ),
    // A component that extends one of a published app.
    (
        "chat_bot/chat_bot.app.mjs",
        "import chat from '@pipedream/chat'; export default { ...chat, app: 'chat_bot' };",
    ),
    (
        "chat_bot/actions/say/say.mjs",
        "import say from '@pipedream/chat/actions/say.mjs';
        export default { ...say, key: 'chat_bot-say', version: '0.0.1' };",
    ),
    // Versions of packages.
    (
        "pinned/package.json",
        "{ \"dependencies\": { \"greeting\": \"^1.0.0\" } }",
    ),
    (
        "pinned/actions/greet/greet.mjs",
        "import greet from 'greeting';
        export default { key: 'pinned-greet', name: 'Greet', version: '0.0.1', type: 'action', run() { return greet; } };",
    ),
    (
        "pinned/actions/greet/sample.json",
        "{}",
    ),
    (
        "pinned/actions/newer/newer.ts",
        "import greet from 'greeting@2.0.0';
        export default { key: 'pinned-newer', name: 'Newer', version: '0.0.1', type: 'action', run() { return greet; } };",
    ),
    (
        "pinned/actions/http/http.js",
        "module.exports = { key: 'pinned-http', name: 'HTTP', version: '0.0.1', type: 'action',
          props: { http: '$.interface.http', request: 'http_request' },
          async run() { return (await this.request.execute()).data; } };",
    ),
];

/// Files that are broken, with the reason.
const BROKEN: [(&str, &str, &str); 5] = [
    (
        "board/actions/syntax/syntax.mjs",
        "code",
        "export default { key: 'board-syntax' name: 'x' };",
    ),
    (
        "board/actions/lost/lost.mjs",
        "code",
        "import x from './gone.mjs'; export default { key: 'board-lost', name: 'Lost', version: '0.0.1', type: 'action', run() { x(); } };",
    ),
    (
        "board/actions/unversioned/unversioned.mjs",
        "definition",
        "export default { key: 'board-unversioned', name: 'Unversioned', type: 'action', run() {} };",
    ),
    (
        "board/actions/twin/twin.mjs",
        "key",
        "export default { key: 'board-notes', name: 'Twin', version: '0.0.1', type: 'action', run() {} };",
    ),
    (
        "pinned/actions/old/old.mjs",
        "load",
        "import { gone } from 'greeting';
        export default { key: 'pinned-old', name: 'Old', version: '0.0.1', type: 'action', run() { return gone; } };",
    ),
];

async fn stage() -> (Stage, Registry) {
    let registry = Registry::start();
    let module = json!({ "type": "module", "exports": { ".": "./index.js", "./*": "./*" } });
    for version in ["1.4.0", "2.0.0"] {
        let index = format!("export default 'version {version}';");
        registry.publish("greeting", version, module.clone(), &[("index.js", &index)]);
    }
    let chat = "export default { type: 'app', app: 'chat', methods: { token() { return this.$auth.bot_token; } } };";
    let say = "import chat from '../index.js';
        export default { key: 'chat-say', name: 'Say', version: '0.0.3', type: 'action',
          props: { chat, text: { type: 'string', label: 'Text' } }, run() { return this.text; } };";
    let files = [("index.js", chat), ("actions/say.mjs", say)];
    registry.publish("@pipedream/chat", "0.3.0", module, &files);
    let mut stage = Stage::with_apps(0).await;
    stage.server = Server::start(own_server().registry(&registry)).await;
    for (path, text) in FILES {
        stage.tree.put(path, text);
    }
    for (path, _, text) in BROKEN {
        stage.tree.put(path, text);
    }
    (stage, registry)
}

/// The account fields of an app, as one text. A `?` marks optional ones.
fn fields(report: &Value, app: &str) -> String {
    let apps = report["apps"].as_array().expect("a list");
    let found = apps.iter().find(|one| one["name_slug"] == app);
    let fields = found.expect("the code reads its accounts")["fields"].as_array();
    let names = fields.expect("a list").iter().map(|field| {
        assert_eq!(field["registered"], true, "{app} {field}");
        let mark = if field["optional"] == true { "?" } else { "" };
        format!("{}{mark}", field["name"].as_str().unwrap_or_default())
    });
    names.collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn a_check_of_the_habits_of_the_public_registry_reports_what_is_broken() {
    let (stage, _registry) = stage().await;
    let (code, report) = stage.check(&[]).await;
    assert_eq!(code, 1);
    let components = report["components"].as_array().expect("a list");
    let broken = components.iter().filter(|one| one["outcome"] == "failed");
    let mut broken: Vec<_> = broken
        .map(|one| (one["path"].clone(), one["reason"].clone()))
        .collect();
    broken.sort_by_key(|(path, _)| path.to_string());
    let mut expected = BROKEN.map(|(path, reason, _)| (json!(path), json!(reason)));
    expected.sort_by_key(|(path, _)| path.to_string());
    assert_eq!(broken, expected, "{components:#?}");
    assert_eq!(report["sound"], 8, "{components:#?}");

    assert_eq!(fields(&report, "_99units"), "api_key");
    assert_eq!(
        fields(&report, "mail_box"),
        "ca? host? port? token? user? zone?"
    );
    let sheets = fields(&report, "sheets");
    assert_eq!(
        sheets,
        "ca? host? oauth_access_token port? token? user? zone?"
    );
    assert_eq!(fields(&report, "board"), "board_key");
}

#[tokio::test]
async fn an_import_of_the_habits_of_the_public_registry_registers_what_works() {
    let (stage, _registry) = stage().await;
    let api = stage.api();
    // Only packages can be broken in a way that the import does not see.
    assert_eq!(stage.import(&[]).await.counts(), [9, 0, 0, 4]);
    let get = async |key: &str| api.get(&format!("/components/registry/{key}")).await.ok();
    let mail = get("mailbox-new-mail").await;
    assert_eq!(mail["sample_event"], json!({ "id": 7, "subject": "Hello" }));
    let found = api.get("/components/search?query=mail&app=mail_box").await;
    assert_eq!(found.body["sources"], json!(["mailbox-new-mail"]));
    let say = get("chat_bot-say").await;
    assert_eq!(say["configurable_props"][1]["label"], "Text");

    let account = json!({ "app": "board", "credentials": { "board_key": "k" } });
    let account = api.post("/accounts", &account).await.ok();
    let account = &account["id"];
    for (step, expected) in [
        (json!({ "action": "pinned-greet" }), json!("version 1.4.0")),
        (json!({ "action": "pinned-newer" }), json!("version 2.0.0")),
        (
            json!({ "action": "board-notes", "props": { "board": { "authProvisionId": account }, "list": 2 } }),
            json!(["2", { "Authorization": "k" }]),
        ),
    ] {
        let mut step = step;
        step["name"] = json!("one");
        let document = json!({ "name": "Habits", "steps": [step] }).to_string();
        let run = deploy(&api, &document).await.run_and_wait(&json!({})).await;
        assert_eq!(*returned(&run, "one"), expected, "{document}: {run}");
    }
}
