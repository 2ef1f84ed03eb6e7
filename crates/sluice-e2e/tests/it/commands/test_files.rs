//! `sluice test` with files of tests.

use serde_json::{Value, json};
use sluice_testkit::Registry;

use super::workshop::Workshop;

const HEAD: &str = "\
import assert from 'node:assert/strict';
import test from 'node:test';
import { run } from 'sluice/test';
";

/// A test with this body, of a component with this code.
fn tested(component: &str, body: &str) -> Workshop {
    let test = format!(
        "{HEAD}import component from './a.mjs';\ntest('it', async () => {{\n{body}\n}});\n"
    );
    Workshop::with(&[("a.mjs", component), ("a.test.mjs", &test)])
}

async fn passes(component: &str, body: &str) {
    tested(component, body).ok(&["test", "a.mjs"]).await;
}

#[tokio::test]
async fn a_test_sees_all_that_a_source_does() {
    passes(
        "export default {
           name: 'S', version: '1',
           props: { http: '$.interface.http', db: '$.service.db', notes: 'data_store', who: { type: 'string', default: 'x' }, timer: '$.interface.timer' },
           methods: { twice(n) { return 2 * n; } },
           async run(event) {
             console.log('for', this.who);
             console.error('careful');
             this.db.set('n', this.twice(this.db.get('n')));
             this.db.set('gone', undefined);
             await this.notes.set('k', { v: 1 });
             this.$emit({ body: event.body, keys: await this.notes.keys() }, { id: 7, summary: 's', name: 'c', ts: 5 });
             this.$emit([this.http.endpoint.startsWith('http'), this.timer.interval_seconds]);
             this.http.respond({ status: '201', headers: { 'X-A': 'b' }, body: { ok: true } });
             return 'done';
           },
         };",
        "const told = await run(component, { event: { body: 1 }, props: { notes: { old: 2 } }, db: { n: 4, gone: 1 } });
         assert.equal(told.error, undefined);
         assert.deepEqual(told.emits, [
           { event: { body: 1, keys: ['k', 'old'] }, id: '7', name: 'c', summary: 's', ts: 5 },
           { event: [true, 3600] },
         ]);
         assert.deepEqual(told.logs, [{ level: 'info', message: 'for x' }, { level: 'error', message: 'careful' }]);
         assert.equal(told.response.status, 201);
         assert.equal(told.response.headers['x-a'], 'b');
         assert.deepEqual(JSON.parse(told.response.body), { ok: true });
         assert.deepEqual(told.db, { n: 8 });
         assert.deepEqual(told.stores.notes, { old: 2, k: { v: 1 } });
         assert.equal(told.returned, 'done');",
    )
    .await;
}

#[tokio::test]
async fn a_test_sees_all_that_a_step_does() {
    passes(
        "export default {
           name: 'A', version: '1', type: 'action', props: { who: 'string' },
           async run({ steps, $ }) {
             $.export('seen', [steps.trigger.event, steps.before.x]);
             await $.send.emit({ a: 1 });
             await $.respond({ status: 202 });
             $.flow.exit('enough');
             return this.who;
           },
         };",
        "const told = await run(component, { event: { e: 1 }, steps: { before: { x: 2 } }, props: { who: 'me' } });
         assert.equal(told.error, undefined);
         assert.equal(told.returned, 'me');
         assert.deepEqual(told.exports, { seen: [{ e: 1 }, 2], $return_value: 'me' });
         assert.deepEqual(told.sends, [{ kind: 'emit', payload: { raw_event: { a: 1 }, channel: '' } }]);
         assert.equal(told.response.status, 202);
         assert.deepEqual(told.flow, { k: 'exit', reason: 'enough' });",
    )
    .await;
}

#[tokio::test]
async fn what_a_component_throws_is_told_and_runs_do_not_share_anything() {
    passes(
        "export default {
           name: 'S', version: '1', props: { db: '$.service.db' },
           async run(event) {
             this.db.set('n', (this.db.get('n') ?? 0) + 1);
             this.$emit(this.db.get('n'));
             if (event.how === 'later') setTimeout(() => { throw new RangeError('late'); }, 1);
             if (event.how === 'later') await new Promise(() => {});
             if (event.how === 'now') throw Object.assign(new TypeError('no'), { code: 'E_NO' });
           },
         };",
        "const { error, emits } = await run(component, { event: { how: 'now' } });
         assert.equal(`${error.name} ${error.message} ${error.code}`, 'TypeError no E_NO');
         assert.match(error.stack, /a\\.mjs:8:/);
         assert.deepEqual(emits, [{ event: 1 }]);
         const late = await run(component, { event: { how: 'later' } });
         assert.equal(late.error.name, 'RangeError');
         const [one, two] = await Promise.all([run(component), run(component)]);
         assert.deepEqual([one.emits[0].event, two.emits[0].event], [1, 1]);
         const timeout = await run({ name: 'T', version: '1', run: () => new Promise(() => {}) }, { timeout: 50 });
         assert.equal(timeout.error.name, 'Timeout');",
    )
    .await;
}

#[tokio::test]
async fn a_test_can_stand_in_for_the_methods_of_an_app() {
    passes(
        "const acme = { type: 'app', app: 'acme', methods: { key() { return this.$auth.key; }, call() { throw new Error('the network'); }, twice() { return [this.call(), this.key()]; } } };
         export default { name: 'S', version: '1', props: { acme }, hooks: { async activate() { this.$emit('on'); } }, run() { this.$emit(this.acme.twice()); } };",
        "const acme = { $auth: { key: 'k' }, call: () => 'called' };
         const { emits } = await run(component, { props: { acme } });
         assert.deepEqual(emits[0].event, ['called', 'k']);
         assert.deepEqual((await run(component, { hook: 'activate' })).emits, [{ event: 'on' }]);",
    )
    .await;
}

#[tokio::test]
async fn props_that_do_not_fit_fail_the_test_at_its_line() {
    let shop = tested(
        "export default { name: 'S', version: '1', props: { url: 'string' }, run() {} };",
        "await assert.rejects(run(component, { props: { url: 'u', nope: 1 } }), /nope is not a prop/);\nawait run(component);",
    );
    let ran = shop.run(&["test", "a.mjs"]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("the prop url is required"), "{}", ran.out);
    assert!(ran.out.contains("a.test.mjs:7:"), "{}", ran.out);
    assert!(!ran.out.contains("harness"), "{}", ran.out);
}

#[tokio::test]
async fn failures_have_the_lines_of_the_author_in_typescript_too() {
    let shop = Workshop::with(&[
        (
            "lib/fail.ts",
            "interface Reason { text: string }\n\nexport function fail(reason: Reason): never {\n  throw new Error(reason.text);\n}\n",
        ),
        (
            "a.ts",
            "import { fail } from './lib/fail.ts';\nexport default { name: 'A', version: '1', run(): void { fail({ text: 'no' }); } };\n",
        ),
        (
            "a.test.ts",
            "import test from 'node:test';\nimport component from './a.ts';\ninterface Unused { a: string }\n\ntest('it', () => component.run());\n",
        ),
    ]);
    let ran = shop.run(&["test", "a.ts"]).await;
    assert_eq!(ran.code, 1, "{ran:#?}");
    for place in [
        "running 1 test from a.test.ts",
        "lib/fail.ts:4:",
        "a.ts:2:",
        "a.test.ts:5:",
    ] {
        assert!(ran.out.contains(place), "{place}: {}", ran.out);
    }
}

#[tokio::test]
async fn tests_run_in_the_sandbox() {
    let shop = tested(
        "export default { name: 'S', version: '1', run() {} };",
        "const { readFileSync } = await import('node:fs');
         assert.throws(() => readFileSync('/etc/hostname'), /read/);
         const { execSync } = await import('node:child_process');
         assert.throws(() => execSync('true'));
         await assert.rejects(fetch('http://127.0.0.1:9999/'), /127.0.0.1/);
         assert.equal(process.env.SECRET, undefined);
         assert.equal(typeof localStorage, 'undefined');",
    );
    shop.with_env("SECRET", "s").ok(&["test", "a.mjs"]).await;
}

#[tokio::test]
async fn a_folder_runs_all_tests_below_it_and_programs_get_each_outcome() {
    let shop = Workshop::with(&[
        (
            "one/good.test.mjs",
            &format!("{HEAD}test('good', () => {{ console.log('hello'); }});"),
        ),
        (
            "two/deep/bad.test.ts",
            &format!(
                "{HEAD}test.describe('group', () => {{\n  test.it('bad', () => assert.equal(1 as number, 2));\n}});\ntest.skip('later', () => {{}});"
            ),
        ),
        ("two/broken.test.mjs", "import './missing.mjs';"),
        ("node_modules/x/x.test.mjs", "throw new Error('not mine');"),
        ("none/a.mjs", ""),
    ]);
    let (report, code) = shop.json(&["test", "."]).await;
    assert_eq!(code, 1);
    assert_eq!(
        (&report["passed"], &report["skipped"]),
        (&json!(1), &json!(1)),
        "{report:#}"
    );
    let find = |name: &str| {
        let tests = report["tests"].as_array().expect("a list").iter();
        let mut found = tests.filter(|test| test["name"] == name);
        found.next().unwrap_or_else(|| panic!("{name}: {report:#}"))
    };
    assert_eq!(find("good")["outcome"], "passed");
    assert_eq!(find("later")["outcome"], "skipped");
    let bad = find("group > bad");
    assert_eq!(bad["file"], "./two/deep/bad.test.ts");
    let reason = bad["error"].as_str().expect("a reason");
    assert!(
        reason.contains("1 !== 2") && reason.contains("bad.test.ts:5:"),
        "{reason}"
    );
    let broken = find("./two/broken.test.mjs")["error"]
        .as_str()
        .expect("a reason");
    assert!(broken.contains("broken.test.mjs:1:"), "{broken}");
    let people = shop.run(&["test", "."]).await;
    assert!(people.out.contains("hello"), "{people:#?}");
    assert!(
        people.err.contains("failed ./two/deep/bad.test.ts"),
        "{people:#?}"
    );
    let none = shop.run(&["test", "none"]).await;
    assert_eq!(none.code, 1);
    assert!(none.err.contains("name.test.mjs"), "{}", none.err);
}

#[tokio::test]
async fn packages_are_installed_as_a_server_does_and_kept() {
    let registry = Registry::start();
    // Commands that run at the same time have folders of their own, and would each fetch it.
    let cache = sluice_testkit::scratch_folder();
    registry.publish(
        "left",
        "1.0.0",
        json!({}),
        &[("index.js", "module.exports = 'left 1.0.0';")],
    );
    let shop = tested(
        "import left from 'left@^1'; export default { name: 'S', version: '1', run() { this.$emit(left); } };",
        "assert.equal((await run(component)).emits[0].event, 'left 1.0.0');",
    )
    .with_env("NPM_CONFIG_REGISTRY", registry.url())
    .with_env("XDG_CACHE_HOME", cache.path().to_str().expect("UTF-8"));
    shop.ok(&["test", "a.mjs"]).await;
    shop.ok(&["test", "a.mjs"]).await;
    let (told, code): (Value, _) = shop.json(&["test", "a.mjs", "--event", "{}"]).await;
    assert_eq!(code, 0, "{told:#}");
    assert_eq!(told["emits"][0]["event"], "left 1.0.0");
    assert_eq!(registry.downloads("left"), 1);
}
