//! Programs, native code and other processes are out of reach, whatever way is taken.

use serde_json::json;
use sluice_testkit::Backend;

use super::{assert_refused, attempt, manual};
use crate::support::{deploy, new_user, shared_server};

#[tokio::test]
async fn no_way_of_starting_a_program_starts_one() {
    let code = manual(
        "const cp = require('child_process'); const mark = `${process.env.TMPDIR}/ran`; const shell = ['-c', `echo ran > ${mark}`];
         const ways = [
             () => cp.execSync(shell[1]), () => cp.execFileSync('/bin/sh', shell), () => cp.spawnSync('/bin/sh', shell),
             () => new Promise((done) => cp.spawn('/bin/sh', shell).on('error', done).on('exit', done)), () => new Promise((done) => cp.exec(shell[1], done)),
             () => new Promise((done) => cp.execFile('/bin/sh', shell, done)), () => cp.fork(mark), () => new Deno.Command('/bin/sh', { args: shell }).outputSync(),
             () => new Deno.Command(Deno.execPath(), { args: ['eval', '-A', `Deno.writeTextFileSync('${mark}', 'x')`] }).outputSync(),
             () => require('cluster').fork(),
         ];
         for (const way of ways) { try { await way(); } catch {} }
         this.$emit(require('fs').existsSync(mark));",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [false]);
}

#[tokio::test]
async fn native_code_permissions_and_signals_are_refused() {
    let server = shared_server(Backend::Sqlite).pid();
    let expressions = [
        "new Deno.Command('/bin/true').output()",
        "Deno.dlopen('libc.so.6', {})",
        "fs.writeFileSync(`${tmp}/a.node`, 'x'), require(`${tmp}/a.node`)",
        "fs.writeFileSync(`${tmp}/b.node`, 'x'), process.dlopen({ exports: {} }, `${tmp}/b.node`)",
        "process.kill(process.ppid, 0)",
        "process.kill(input, 'SIGTERM')",
        "Deno.kill(input, 'SIGTERM')",
        "Deno.permissions.request({ name: 'run' }).then(({ state }) => { if (state !== 'granted') throw new Error('EPERM'); })",
        "Deno.permissions.request({ name: 'read', path: '/etc' }).then(({ state }) => { if (state !== 'granted') throw new Error('EPERM'); })",
        "Deno.listen({ hostname: '0.0.0.0', port: 0 })",
        "Deno.networkInterfaces()",
        "Deno.setUid?.(0) ?? process.setuid(0)",
        "new Promise((done, fail) => require('net').createServer().on('error', fail).listen(0, '0.0.0.0', done))",
    ];
    assert_refused(&new_user().await, &expressions, json!(server)).await;
}

#[tokio::test]
async fn workers_and_other_contexts_have_no_more_rights_than_the_component() {
    let expressions = [
        "new Promise((done, fail) => { const worker = new Worker(`data:text/javascript,${encodeURIComponent('try { postMessage(Deno.readTextFileSync(\"/etc/passwd\")) } catch (error) { postMessage(error.name) }')}`, { type: 'module' }); worker.onmessage = (event) => { worker.terminate(); if (event.data === 'NotCapable') fail(new Error('EPERM')); else done(event.data); }; })",
        "require('vm').runInNewContext('read(\"/etc/passwd\")', { read: (path) => fs.readFileSync(path, 'utf8') })",
        "new Function('return Deno.readTextFileSync(\"/etc/passwd\")')()",
        "new Promise((done, fail) => { const { Worker } = require('worker_threads'); const worker = new Worker('const { parentPort } = require(\"worker_threads\"); try { parentPort.postMessage(require(\"fs\").readFileSync(\"/etc/passwd\", \"utf8\")); } catch (error) { parentPort.postMessage(error.code ?? error.name); }', { eval: true }); worker.on('message', (said) => { worker.terminate(); if (/EACCES|EPERM|NotCapable/.test(said)) fail(new Error('EPERM')); else done(said); }); worker.on('error', fail); })",
    ];
    assert_refused(&new_user().await, &expressions, json!({})).await;
}

#[tokio::test]
async fn the_engine_s_back_doors_are_shut() {
    let expressions = [
        "process.binding('fs').internalModuleReadJSON('/etc/passwd')",
        "process.binding('spawn_sync').spawn({ file: '/bin/true' })",
        "Deno[Deno.internal]?.core.ops.op_read_file_text_sync('/etc/passwd') ?? (() => { throw new Error('EPERM') })()",
        "new Promise((done, fail) => { const worker = new Worker('data:text/javascript,', { type: 'module', deno: { permissions: { read: ['/etc'], run: true } } }); worker.onerror = fail; setTimeout(done, 500); })",
        "import('http://127.0.0.1/x.mjs')",
        "import('https://deno.land/std/version.ts')",
        "import('data:text/javascript,export default Deno.readTextFileSync(\"/etc/passwd\")')",
        "require('inspector').open(0, '127.0.0.1')",
        "new (require('wasi').WASI)({ version: 'preview1', preopens: { '/': '/' } })",
    ];
    let outcomes = attempt(&new_user().await, &expressions, json!({})).await;
    for (expression, outcome) in expressions.iter().zip(outcomes) {
        assert!(!outcome.is_array(), "{expression}: {outcome}");
    }
}
