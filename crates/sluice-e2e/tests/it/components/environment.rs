//! What a component finds around it: environment, temporary folder, network.

use serde_json::json;
use sluice_testkit::{Backend, Method};

use super::{component, http, manual, open_user};
use crate::support::{deploy, deploy_with, new_user, shared_server};

#[tokio::test]
async fn the_environment_holds_the_source_s_id_and_its_temporary_folder_and_nothing_else() {
    let code = manual(
        "this.$emit([Object.keys(process.env).sort(), Object.keys(Deno.env.toObject()).sort(), process.env.PD_COMPONENT, process.env.HOME ?? null, process.env.SLUICE_API_KEY ?? null]);",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    let names = json!(["PD_COMPONENT", "STASH_DIR", "TMPDIR"]);
    assert_eq!(
        source.events(1).await,
        [json!([names, names, source.id, null, null])]
    );
}

#[tokio::test]
async fn the_temporary_folder_can_be_written_and_read() {
    let code = manual(
        "const fs = require('fs'); const path = require('path'); const tmp = require('os').tmpdir();
         const file = path.join(tmp, 'a', 'file.txt'); fs.mkdirSync(path.dirname(file)); fs.writeFileSync(file, 'content');
         const made = fs.mkdtempSync(path.join(tmp, 'x-'));
         this.$emit([tmp === process.env.TMPDIR, fs.readFileSync(file, 'utf8'), await fs.promises.readdir(path.dirname(file)), fs.existsSync(made)]); fs.rmSync(file);",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!([true, "content", ["file.txt"], true])]
    );
}

#[tokio::test]
async fn two_sources_have_temporary_folders_of_their_own() {
    let api = new_user().await;
    let code = component(
        "props: { file: { type: 'string', optional: true } }, run() { const fs = require('fs'); if (!this.file) { const file = `${process.env.TMPDIR}/secret`; fs.writeFileSync(file, 'x'); this.$emit(file); } else { try { this.$emit(fs.readFileSync(this.file, 'utf8')); } catch (error) { this.$emit('refused'); } } }",
    );
    let one = deploy(&api, &code).await;
    one.run(json!({})).await;
    let file = one.events(1).await.remove(0);
    let two = deploy_with(&api, &code, json!({ "file": file })).await;
    two.run(json!({})).await;
    assert_eq!(two.events(1).await, ["refused"]);
}

#[tokio::test]
async fn with_allow_private_network_a_component_reaches_loopback() {
    let api = open_user().await;
    let witness = deploy(&api, &http("this.$emit(event.body);")).await;
    let code = component(
        "props: { url: 'string' }, async run() { await fetch(this.url, { method: 'POST', body: 'fetch' });
           await new Promise((done, fail) => require('http').request(this.url, { method: 'POST' }, done).on('error', fail).end('node')); }",
    );
    let source = deploy_with(&api, &code, json!({ "url": witness.endpoint() })).await;
    source.run(json!({})).await;
    assert_eq!(witness.events(2).await, ["fetch", "node"]);
}

#[tokio::test]
async fn without_the_flag_loopback_private_and_metadata_addresses_are_refused() {
    let server = shared_server(Backend::Sqlite);
    let port = server.addr().rsplit(':').next().expect("a port");
    let code = manual(
        "const outcome = (error) => error === undefined ? 'reached' : /NotCapable|Requires net access|EACCES|EPERM/.test(`${error.name} ${error.message} ${error.code} ${error.cause}`) ? 'refused' : `${error.name}: ${error.message} (${error.cause})`;
         const results = {};
         for (const host of event.hosts) results[`fetch ${host}`] = await fetch(`http://${host}:${event.port}/healthz`, { signal: AbortSignal.timeout(2000) }).then(() => outcome(), outcome);
         for (const host of event.hosts) results[`net ${host}`] = await new Promise((done) => {
             let socket; try { socket = require('net').connect(event.port, host.replace(/^\\[|\\]$/g, '')); } catch (error) { return done(outcome(error)); }
             socket.setTimeout(2000, () => { socket.destroy(); done('timed out'); }); socket.on('connect', () => { socket.destroy(); done('reached'); }); socket.on('error', (error) => done(outcome(error))); });
         this.$emit(results);",
    );
    let source = deploy(&new_user().await, &code).await;
    let hosts = [
        "127.0.0.1",
        "localhost",
        "127.8.8.8",
        "0.0.0.0",
        "2130706433",
        "0x7f.1",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "[::ffff:169.254.169.254]",
    ];
    source
        .run(json!({ "hosts": hosts, "port": port.parse::<u16>().expect("a port") }))
        .await;
    let results = source.events(1).await.remove(0);
    let reached: Vec<_> = results
        .as_object()
        .expect("results")
        .iter()
        .filter(|(_, outcome)| *outcome != "refused")
        .collect();
    assert!(reached.is_empty(), "{reached:#?}");
    // The same addresses answer to us.
    source
        .api
        .absolute(Method::GET, &format!("{}/healthz", server.url()))
        .send()
        .await
        .expect(200);
}

#[tokio::test]
async fn a_refused_connection_names_the_setting_of_the_server() {
    let code = manual("await fetch('http://127.0.0.1:8009/');");
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    let error = source.errors(1).await.remove(0)["error"].clone();
    for field in ["msg", "stack"] {
        let text = error[field].as_str().expect("a text");
        assert!(
            text.contains("allow this address with --allow-network"),
            "{text}"
        );
        assert!(!text.contains("--allow-net flag"), "{text}");
    }
}
