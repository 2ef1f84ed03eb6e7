//! What a component cannot do, whatever it tries.

use serde_json::{Value, json};
use sluice_testkit::{Api, Backend};

use super::manual;
use crate::support::{deploy, new_user, shared_server};

/// Evaluates expressions inside one component: for each, "refused" when it throws for want of permission.
async fn attempt(api: &Api, expressions: &[&str], input: Value) -> Vec<Value> {
    let code = manual(
        "const fs = require('fs'); const tmp = process.env.TMPDIR;
         for (const expression of event.expressions) {
             try { this.$emit(['allowed', String(await eval(expression))]); }
             catch (error) {
                 const said = [error.name, error.code, error.message].join(' ');
                 this.$emit(/NotCapable|PermissionDenied|EACCES|EPERM|Requires .* access/.test(said) ? 'refused' : said);
             }
         }",
    );
    let source = deploy(api, &code).await;
    let event = json!({ "expressions": expressions, "input": input });
    source.run(event).await;
    source.events(expressions.len()).await
}

#[tokio::test]
async fn reading_and_writing_outside_its_folders_running_programs_and_native_code_are_refused() {
    let expressions = [
        "fs.readFileSync('/etc/passwd', 'utf8')",
        "fs.readdirSync('/')",
        "fs.readFileSync('/proc/self/environ', 'utf8')",
        "fs.readFileSync(`/proc/${process.ppid}/environ`, 'utf8')",
        "fs.symlinkSync('/etc/passwd', `${tmp}/link`), fs.readFileSync(`${tmp}/link`, 'utf8')",
        "fs.readdirSync(`${tmp}/../..`)",
        "fs.writeFileSync('/var/tmp/sluice-was-here', 'x')",
        "fs.writeFileSync(`${tmp}/../component/component.cjs`, 'x')",
        "new Deno.Command('/bin/true').output()",
        "Deno.dlopen('libc.so.6', {})",
        "Deno.listen({ hostname: '0.0.0.0', port: 0 })",
        "process.kill(process.ppid, 0)",
        "Deno.permissions.request({ name: 'run' }).then(({ state }) => { if (state !== 'granted') throw new Error('EPERM'); })",
    ];
    let outcomes = attempt(&new_user().await, &expressions, json!({})).await;
    for (expression, outcome) in expressions.iter().zip(outcomes) {
        assert_eq!(outcome, "refused", "{expression}");
    }
}

#[tokio::test]
async fn the_server_s_data_folder_is_refused() {
    let folder = shared_server(Backend::Sqlite).data_dir();
    assert!(folder.join("sluice.db").exists() && folder.join("master.key").exists());
    let expressions = [
        "fs.readdirSync(event.input)",
        "fs.readFileSync(`${event.input}/sluice.db`)",
        "fs.readFileSync(`${event.input}/master.key`)",
    ];
    let outcomes = attempt(&new_user().await, &expressions, json!(folder)).await;
    assert_eq!(outcomes, ["refused"; 3]);
}

#[tokio::test]
async fn no_way_of_starting_a_program_starts_one() {
    let code = manual(
        "const cp = require('child_process'); const mark = `${process.env.TMPDIR}/ran`; const shell = ['-c', `echo ran > ${mark}`];
         const ways = [
             () => cp.execSync(shell[1]), () => cp.execFileSync('/bin/sh', shell), () => cp.spawnSync('/bin/sh', shell),
             () => new Promise((done) => cp.spawn('/bin/sh', shell).on('error', done).on('exit', done)), () => new Promise((done) => cp.exec(shell[1], done)),
             () => new Promise((done) => cp.execFile('/bin/sh', shell, done)), () => cp.fork(mark), () => new Deno.Command('/bin/sh', { args: shell }).outputSync(),
         ];
         for (const way of ways) { try { await way(); } catch {} }
         this.$emit(require('fs').existsSync(mark));",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [false]);
}
