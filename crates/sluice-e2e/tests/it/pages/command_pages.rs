//! The examples of `docs/cli`, which are those of `--help`. The pages are generated, so their marks are here.

use std::{fs, mem};

use serde_json::json;
use sluice_testkit::{
    Server,
    receiver::{Answer, Receiver},
};

use super::{Place, markdown::Page, pages_in, session, session::Session};
use crate::support::{server_as_it_comes, unique_name};

/// Files of the reader.
const FILES: [(&str, &str); 11] = [
    ("hello.mjs", HELLO),
    ("orders.mjs", HTTP),
    ("check.js", "console.log('checked');\n"),
    ("new-order.mjs", PUBLISHED),
    ("key.txt", "secret\n"),
    ("token.txt", "secret\n"),
    ("secret.txt", "secret\n"),
    ("passphrase", "correct horse battery staple\n"),
    ("orders.yaml", WORKFLOW),
    ("send.mjs", ACTION),
    ("values.yaml", "text: hi\n"),
];
const HTTP: &str = "export default {
  name: 'Orders', version: '0.1.0',
  props: { http: '$.interface.http', greeting: { type: 'string', default: 'Hello' } },
  run(event) { this.$emit(event.body); },
};
";
const HELLO: &str = "export default {
  name: 'Hello', version: '0.1.0', props: { greeting: { type: 'string', default: 'Hello' } }, run() {},
};
";
const PUBLISHED: &str = "export default {
  key: 'acme-new-order', name: 'New order', version: '0.1.0', props: { http: '$.interface.http' }, run() {},
};
";
const ACTION: &str = "export default {
  name: 'Send', version: '0.1.0', type: 'action', props: { text: 'string' },
  run() { return this.text; },
};
";
const WORKFLOW: &str = "name: Orders
triggers: [{ http: {} }]
steps:
  - { name: load, code: 'async () => 1' }
  - { name: notify, code: 'async () => 2' }
";

/// A page, and the commands before each of its examples. They may fail if what they create exists.
const SETUPS: [(&str, &str); 18] = [
    (
        "accounts",
        "sluice apps add acme --name Acme --keys api_key; sluice accounts connect acme --name x --field api_key=@key.txt",
    ),
    (
        "backup",
        "cp passphrase /root/passphrase; export SLUICE_DATA_DIR=$DATA",
    ),
    (
        "completions",
        "mkdir -p ~/.local/share/bash-completion/completions ~/.zfunc ~/.config/fish/completions",
    ),
    (
        "delete",
        "sluice deploy orders.mjs --no-follow; sluice deploy orders.mjs --name other --no-follow; sluice deploy orders.mjs --name broken --no-follow",
    ),
    ("describe", "sluice deploy orders.mjs --no-follow"),
    (
        "events",
        "sluice deploy orders.mjs --no-follow; sluice run orders --event '{\"body\": {\"total\": 5}}'",
    ),
    ("keys", DATA_OF_SERVER),
    ("login", "printf %s \"$SLUICE_API_KEY\" > key.txt"),
    (
        "logs",
        "sluice deploy --timer --frequency 1h --run check.js --name orders --no-follow",
    ),
    (
        "restore",
        "sluice backup /backup/sluice.backup --data-dir $DATA; mkdir -p /var/lib/sluice/data; cp $DATA/master.key /var/lib/sluice/data",
    ),
    (
        "run",
        "echo 'export default { total: 5 };' > test-event.mjs; sluice deploy orders.mjs --no-follow",
    ),
    (
        "subscribe",
        "sluice deploy orders.mjs --no-follow; for name in ops archive; do sluice webhooks show $name || sluice webhooks create https://example.com/hook --name $name; done",
    ),
    (
        "unpublish",
        "sluice publish new-order.mjs; sluice publish new-order.mjs --server",
    ),
    ("update", "sluice deploy hello.mjs --no-follow"),
    ("users", DATA_OF_SERVER),
    // The page of `sluice signup` has created this user.
    (
        "users",
        "[ -e started ] || sluice users delete ada; touch started",
    ),
    (
        "webhooks",
        "[ -e started ] && (sluice webhooks show ops || sluice webhooks create https://example.com/hook --name ops); touch started; sluice deploy orders.mjs --no-follow",
    ),
    (
        "workflows",
        "sluice workflows deploy orders.yaml; sluice workflows run orders --wait",
    ),
];

/// Data of a server that does not run, and a new master key.
const DATA_OF_SERVER: &str = "export SLUICE_DATA_DIR=/var/lib/sluice/data
if ! [ -d $SLUICE_DATA_DIR/runtime ]; then
  sluice serve --listen 127.0.0.1:0 --no-starter > serve.log 2>&1 &
  until grep -q 'Sluice is ready' serve.log; do sleep 0.1; done
  kill $!
  wait $!
fi
openssl rand -hex 32 > /root/new.key";

/// Ids on a page, and commands that print what they stand for.
const IDS: [(&str, &str, &str); 3] = [
    (
        "workflows",
        "2FZ8vXW1Y3kQ9mB7nC5dE4fG6hJ",
        "sluice workflows runs orders --json | jq -r '.[0].id'",
    ),
    (
        "accounts",
        "apn_a1b2c3",
        "sluice accounts --json | jq -r '.[0].id'",
    ),
    (
        "delete",
        "dc_a1b2c3",
        "sluice describe other --json | jq -r .id",
    ),
];

/// Examples that need something external, with the reason.
const EXTERNAL: [(&str, &str); 23] = [
    (
        "sluice actions run http-request --prop url=https://example.com",
        "an action of the registry",
    ),
    (
        "sluice actions run slack-send-message --account slack=work --prop channel=C1 --prop text=hi",
        "an action of the registry",
    ),
    (
        "sluice tools enable slack-send-message --account apn_Ab12cd --prop channel=C0123",
        "an action of the registry",
    ),
    (
        "sluice tools enable http-request --name fetch_page --description 'Fetch a web page'",
        "an action of the registry",
    ),
    ("sluice mcp --profile assistant", "an AI application"),
    (
        "sluice accounts connect slack",
        "an authorization in a browser",
    ),
    (
        "sluice accounts connect shopify --field shop_id=our-shop",
        "an authorization in a browser",
    ),
    (
        "sluice apps set-oauth github --client-id Iv1.abc123",
        "a terminal that is asked for the secret",
    ),
    (
        "sluice backup - | ssh backup@example.com 'cat > sluice.backup'",
        "another machine",
    ),
    (
        "sluice deploy github-new-issue --account github=work --prop repo=acme/things",
        "a component of the registry",
    ),
    (
        "sluice deploy https://github.com/acme/things/blob/main/source.mjs --no-follow",
        "a file on a code host",
    ),
    (
        "sluice publish https://github.com/you/components/blob/main/new-order.mjs",
        "a file on a code host",
    ),
    (
        "PIPEDREAM_API_KEY=… sluice import pipedream --to moved",
        "another service",
    ),
    (
        "sluice import pipedream --to moved --workflows ~/my-project --api-key KEY",
        "another service",
    ),
    ("sluice apply moved --dry-run", "another service"),
    ("sluice login", "a terminal that is asked for the key"),
    (
        "sluice signup --url https://sluice.example.com",
        "a terminal that is asked for the name",
    ),
    (
        "sluice login --url https://sluice.example.com --profile work",
        "a terminal that is asked for the key",
    ),
    (
        "sluice migrate --from /var/lib/sluice/data --to postgres://sluice@db/sluice",
        "PostgreSQL",
    ),
    (
        "sluice migrate --from postgres://sluice@db/sluice --to /var/lib/sluice/new",
        "PostgreSQL",
    ),
    (
        "sluice restore --database-url postgres://sluice@db/sluice /backup/sluice.backup",
        "PostgreSQL",
    ),
    (
        "sluice users reset-key ada --database-url postgres://sluice@db/sluice",
        "PostgreSQL",
    ),
    (
        "pass show github-client | sluice apps set-oauth github --client-id Iv1.abc123 --client-secret-file -",
        "a password manager",
    ),
];

/// Examples that run until they are interrupted, with what they print.
const ENDLESS: [(&str, &str); 3] = [
    ("sluice audit --all-accounts -f", "user.create"),
    ("sluice events orders -f", "total"),
    ("sluice logs orders -f", "checked"),
];

/// The commands of a page. One may have several lines.
fn examples(page: &Page) -> Vec<String> {
    let blocks: String = page.shell().iter().map(|block| &*block.text).collect();
    let mut examples = Vec::new();
    let mut example = String::new();
    for line in blocks.lines() {
        example.push_str(line);
        if line.ends_with('\\') {
            example.push('\n');
        } else {
            examples.push(mem::take(&mut example));
        }
    }
    examples
}

fn entry<'a>(table: &[(&str, &'a str)], key: &str) -> Option<&'a str> {
    let known = table.iter().find(|(known, _)| *known == key);
    known.map(|(_, value)| *value)
}

async fn run(name: &str, example: &str, session: &mut Session) -> Result<(), String> {
    for (_, setup) in SETUPS.iter().filter(|(page, _)| *page == name) {
        session.run(&format!("set +e\n{setup}\ntrue")).await;
    }
    for (_, id, command) in IDS.iter().filter(|(page, _, _)| *page == name) {
        let printed = session.run(command).await.output;
        session.replace(id, printed.trim());
    }
    if let Some(text) = entry(&ENDLESS, example) {
        let started = session.run_until(example, text).await?;
        session.interrupt(started.process).await;
        return Ok(());
    }
    let ended = session.run(example).await;
    if ended.succeeded {
        Ok(())
    } else {
        Err(ended.output)
    }
}

/// Runs the examples of a page. Returns those that are external.
async fn run_page(
    name: &str,
    page: &Page,
    session: &mut Session,
    errors: &mut Vec<String>,
) -> Vec<String> {
    let (external, own): (Vec<_>, Vec<_>) = examples(page)
        .into_iter()
        .partition(|example| entry(&EXTERNAL, example).is_some());
    for example in own {
        if let Err(error) = run(name, &example, session).await {
            errors.push(format!("docs/cli/{name}.md: {example}\n{error}"));
        }
    }
    external
}

/// A user who may do everything, with nothing yet. Returns the key.
async fn new_operator(server: &Server) -> String {
    let name = unique_name();
    let email = format!("{name}@example.com");
    let body = json!({ "username": name, "email": email, "operator": true });
    let user = server.api().post("/users", &body).await.ok();
    user["api_key"].as_str().expect("a key").to_owned()
}

#[tokio::test]
async fn the_examples_of_every_command_work_as_printed() {
    let options = server_as_it_comes().args(["--allow-private-network", "--allow-signup"]);
    let server = Server::start(options).await;
    let outside = Receiver::start(|_| Answer::status(200));
    let (mut errors, mut external) = (Vec::new(), Vec::new());
    for path in pages_in("docs/cli") {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let page = Page::parse(&fs::read_to_string(&path).expect("a page"));
        if name == "README" || page.shell().is_empty() {
            continue;
        }
        let key = new_operator(&server).await;
        let place = Place {
            url: server.url(),
            key: &key,
        };
        let mut session = session(&place, &outside);
        session.replace("$DATA", &server.data_dir().display().to_string());
        for (file, text) in FILES {
            fs::write(session.folder().join(file), text).expect("a file");
        }
        external.extend(run_page(&name, &page, &mut session, &mut errors).await);
    }
    assert!(errors.is_empty(), "{}", errors.join("\n\n"));
    let unused = EXTERNAL
        .iter()
        .filter(|(example, _)| !external.iter().any(|known| known == example));
    let unused: Vec<_> = unused.map(|(example, _)| example).collect();
    assert!(unused.is_empty(), "no page has {unused:?}");
}
