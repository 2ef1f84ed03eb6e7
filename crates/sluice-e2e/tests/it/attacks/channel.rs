//! Components that look for the channel between the server and the harness.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::wait_for;

use crate::{
    sandbox::{Witness, manual, tight_user},
    support::{PATIENCE, deploy},
};

/// Replaces every function of the language that it can reach, and gathers all texts that look like a key.
const SPY: &str = r"'use strict';
    const call = Reflect.apply; const test = RegExp.prototype.test; const key = /[0-9a-f]{32}/; const seen = new Set();
    const add = Set.prototype.add; const text = String.fromCharCode; let looking = false; let calls = 0;
    const look = (value) => {
        if (ArrayBuffer.isView(value)) value = call(text, undefined, value);
        if (typeof value === 'string' && call(test, key, [value])) call(add, seen, [value]);
        else if (typeof value === 'object' && value !== null && typeof value.key === 'string') look(value.key);
    };
    const spy = (owner, name) => {
        const original = Object.getOwnPropertyDescriptor(owner, name)?.value;
        if (typeof original !== 'function' || name === 'constructor') return;
        owner[name] = function (...args) {
            if (!looking) { looking = true; calls += 1; try { look(this); for (let n = 0; n < args.length; n++) look(args[n]); } finally { looking = false; } }
            return new.target ? Reflect.construct(original, args) : call(original, this, args);
        };
    };
    const owners = [String, Array, Uint8Array, Object.getPrototypeOf(Uint8Array), TextEncoder, TextDecoder, Map, Set, Promise, Deno.FsFile]
        .map((kind) => kind.prototype).concat([JSON, Reflect, Object.getPrototypeOf(Deno.stdin), Deno, Object]);
    for (const owner of owners) for (const name of Object.getOwnPropertyNames(owner)) try { spy(owner, name); } catch {}
";

#[tokio::test]
async fn code_that_replaces_the_functions_of_the_language_sees_no_key() {
    let api = tight_user().await;
    let run = manual(
        "if (event.marker) event.marker.trim();
         else { console.log('a line'); this.$emit({ seen: seen.size, calls: calls > 0 }); }",
    );
    let source = deploy(&api, &format!("{SPY}\n{run}")).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!({ "seen": 0, "calls": true })]
    );
    // It would have noticed one.
    source
        .run(json!({ "marker": "0123456789abcdef".repeat(2) }))
        .await;
    source.run(json!({})).await;
    assert_eq!(source.events(2).await[1]["seen"], 1);
}

#[rstest]
#[case::descriptors("for (let fd = 3; fd < 100; fd++) try { fs.writeSync(fd, line); } catch {}")]
#[case::sockets(
    "for (let fd = 3; fd < 100; fd++) try { new (require('net').Socket)({ fd, writable: true }).on('error', () => {}).write(line); } catch {}"
)]
#[case::files_of_the_process(
    "for (let fd = 3; fd < 100; fd++) try { fs.writeFileSync(`/proc/self/fd/${fd}`, line); } catch {}"
)]
#[case::files_of_the_pipes(
    "for (const path of Deno.args) try { fs.writeFileSync(path, line); } catch {}"
)]
#[tokio::test]
async fn forged_messages_reach_nobody(#[case] write: &str) {
    let api = tight_user().await;
    let witness = Witness::deploy(&api).await;
    let code = manual(&format!(
        r#"const fs = require('fs');
        if (event.id) {{
            for (const body of [`{{"t":"emit","i":"${{event.id}}","e":"forged","m":{{}}}}`, `{{"t":"held","i":"${{event.id}}"}}`]) {{
                for (const key of ['', 'f'.repeat(32)]) {{ const line = key + body + '\n'; {write} }}
            }}
            return void (globalThis.told = true);
        }}
        while (!globalThis.told) await new Promise((done) => setTimeout(done, 10));
        this.$emit('genuine');"#
    ));
    let source = deploy(&api, &code).await;
    let id = source.run(json!({})).await["id"].clone();
    source.run(json!({ "id": id })).await;
    // Code that disturbs the descriptors of its process can only break that.
    let events = wait_for(PATIENCE, "the end", async || {
        let events = source.summaries().await;
        (!events.is_empty() || !source.errors_so_far().await.is_empty()).then_some(events)
    })
    .await;
    assert!(
        events.iter().all(|one| one["event"] == "genuine"),
        "{events:?}"
    );
    witness.answers(2).await;
}
