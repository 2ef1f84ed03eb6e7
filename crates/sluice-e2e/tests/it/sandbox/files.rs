//! Files: a component has its own and no others.

use serde_json::json;
use sluice_testkit::Backend;

use super::{assert_refused, has_all_walls, has_private_tmp, manual};
use crate::support::{deploy, new_user, shared_server};

#[tokio::test]
async fn reading_and_writing_outside_its_folders_is_refused() {
    let expressions = [
        "fs.readFileSync('/etc/passwd', 'utf8')",
        "Deno.readTextFileSync('/etc/hosts')",
        "fs.promises.readFile('/etc/shadow')",
        "fs.readdirSync('/')",
        "fs.readdirSync('/tmp/..')",
        "fs.createReadStream('/etc/passwd').toArray()",
        "fs.readdirSync(`${tmp}/../..`)",
        "fs.writeFileSync('/var/tmp/sluice-was-here', 'x')",
        "fs.appendFileSync('/dev/shm/sluice-was-here', 'x')",
        "fs.writeFileSync(require('path').join(__dirname, 'component.cjs'), 'x')",
        "fs.writeFileSync(require('path').join(__dirname, '..', 'x'), 'x')",
        "fs.rmSync(__filename)",
        "fs.chmodSync(__filename, 0o777)",
        "Deno.openSync('/etc/passwd')",
        "Deno.readFileSync(new URL('file:///etc/passwd'))",
        "import('file:///etc/passwd')",
        "import('/etc/hosts', { with: { type: 'text' } })",
        "require('/etc/hosts.js')",
        "require('node:sqlite').DatabaseSync('/etc/x.db')",
        "new (require('node:sqlite').DatabaseSync)('/var/tmp/x.db')",
        "Deno.openKv('/var/tmp/x.kv')",
        "process.chdir('/')",
    ];
    let outcomes = super::attempt(&new_user().await, &expressions, json!({})).await;
    let read: Vec<_> = expressions
        .iter()
        .zip(outcomes)
        .filter(|(_, outcome)| outcome.is_array())
        .collect();
    assert!(read.is_empty(), "{read:#?}");
}

#[tokio::test]
async fn what_the_kernel_tells_about_processes_is_refused() {
    let server = shared_server(Backend::Sqlite).pid();
    let expressions = [
        "fs.readFileSync('/proc/self/environ', 'utf8')",
        "fs.readFileSync('/proc/self/maps', 'utf8')",
        "fs.openSync('/proc/self/mem', 'r+')",
        "fs.readFileSync('/proc/self/status', 'utf8')",
        "fs.readdirSync('/proc/self/fd')",
        "fs.readFileSync(`/proc/${process.ppid}/environ`, 'utf8')",
        "fs.readFileSync(`/proc/${input}/environ`, 'utf8')",
        "fs.readFileSync(`/proc/${input}/maps`, 'utf8')",
        "fs.readFileSync(`/proc/${input}/cmdline`, 'utf8')",
        "fs.openSync(`/proc/${input}/mem`, 'r+')",
        "fs.readdirSync(`/proc/${input}/fd`)",
        "fs.readdirSync(`/proc/${input}/root/etc`)",
    ];
    assert_refused(&new_user().await, &expressions, json!(server)).await;
}

#[tokio::test]
async fn links_lead_nowhere() {
    let expressions = [
        "fs.symlinkSync('/etc/passwd', `${tmp}/link`), fs.readFileSync(`${tmp}/link`, 'utf8')",
        "fs.symlinkSync('/etc', `${tmp}/etc`), fs.readFileSync(`${tmp}/etc/passwd`, 'utf8')",
        "fs.symlinkSync('/', `${tmp}/root`), fs.readdirSync(`${tmp}/root`)",
        "fs.linkSync('/etc/passwd', `${tmp}/hard`)",
        "fs.symlinkSync('../../../../sluice.db', `${tmp}/db`), fs.readFileSync(`${tmp}/db`)",
        "fs.renameSync(__dirname, `${tmp}/mine`)",
    ];
    assert_refused(&new_user().await, &expressions, json!({})).await;
}

#[tokio::test]
async fn the_server_s_data_folder_and_other_components_are_refused() {
    let api = new_user().await;
    let folder = shared_server(Backend::Sqlite).data_dir();
    assert!(folder.join("sluice.db").exists() && folder.join("master.key").exists());
    let other = deploy(&api, &manual("this.$emit(__filename)")).await;
    other.run(json!({})).await;
    let file = other.events(1).await.remove(0);
    let expressions = [
        "fs.readdirSync(input.folder)",
        "fs.readFileSync(`${input.folder}/sluice.db`)",
        "fs.readFileSync(`${input.folder}/master.key`)",
        "fs.readdirSync(`${input.folder}/runtime/run`)",
        "fs.writeFileSync(`${input.folder}/runtime/harness/main.mjs`, '')",
        "fs.writeFileSync(`${input.folder}/runtime/packages/x`, '')",
        "fs.readFileSync(input.file, 'utf8')",
        "fs.writeFileSync(input.file, '')",
        "import(`file://${input.file}`)",
    ];
    assert_refused(
        &api,
        &expressions,
        json!({ "folder": folder, "file": file }),
    )
    .await;
}

#[tokio::test]
async fn each_component_has_a_tmp_of_its_own() {
    if !has_private_tmp() {
        return;
    }
    let api = new_user().await;
    let code = manual(
        "const fs = require('fs'); const os = require('os');
         if (event.write) { fs.writeFileSync('/tmp/mine', event.write); fs.mkdirSync('/tmp/a/b', { recursive: true }); fs.renameSync('/tmp/mine', '/tmp/a/b/mine'); }
         this.$emit([os.tmpdir(), process.cwd(), fs.readdirSync('/tmp').filter((name) => name !== 'stash'), fs.existsSync('/tmp/a/b/mine') && fs.readFileSync('/tmp/a/b/mine', 'utf8'), fs.mkdtempSync('/tmp/x-').length]);",
    );
    let (one, two) = (deploy(&api, &code).await, deploy(&api, &code).await);
    one.run(json!({ "write": "secret" })).await;
    assert_eq!(
        one.events(1).await,
        [json!(["/tmp", "/tmp", ["a"], "secret", 13])]
    );
    two.run(json!({})).await;
    assert_eq!(
        two.events(1).await,
        [json!(["/tmp", "/tmp", [], false, 13])]
    );
}

#[tokio::test]
async fn what_a_browser_would_store_for_a_site_is_not_shared_by_components() {
    let api = new_user().await;
    let in_worker = "new Promise((done, fail) => { const code = 'caches.open(\"x\").then(async (cache) => { await cache.put(\"http://a/\", new Response(\"b\")); postMessage(\"stored\"); }).catch((error) => postMessage(error.message))'; const worker = new Worker(`data:text/javascript,${encodeURIComponent(code)}`, { type: 'module' }); worker.onmessage = ({ data }) => { worker.terminate(); if (data === 'stored') done(data); else fail(new Error(data)); }; })";
    let expressions = [
        "[typeof localStorage, typeof sessionStorage, typeof caches].join()",
        in_worker,
    ];
    let outcomes = super::attempt(&api, &expressions, json!({})).await;
    assert_eq!(
        outcomes[0],
        json!(["allowed", "undefined,undefined,undefined"])
    );
    assert!(
        !has_all_walls() || !outcomes[1].is_array(),
        "{}",
        outcomes[1]
    );
}
