import assert from "node:assert/strict";
import test from "node:test";
import { run } from "sluice/test";
import { withFetch } from "../../../testing/fake_fetch.mjs";
import component from "./url-changed.mjs";

const page = (text) =>
  `<html><head><title>T</title></head><body><script>${Math.random()}</script><p>${text}</p><p>End</p></body></html>`;

async function check(content, { db = {}, props = {}, type = "text/html", status = 200, headers = {} } = {}) {
  let result;
  const requests = await withFetch(
    () => new Response(status === 304 ? null : content, { status, headers: { "content-type": type, ...headers } }),
    async () => {
      result = await run(component, { props: { url: "https://example.com/", ...props }, db });
    },
  );
  return { ...result, requests };
}

test("the first run remembers, and later ones compare", async () => {
  const first = await check(page("Outage"));
  assert.deepEqual(first.emits, []);
  const same = await check(page("Outage"), { db: first.db });
  assert.deepEqual(same.emits, []);
  const { emits } = await check(page("All &amp; well"), { db: same.db });
  assert.equal(emits[0].event.added, "All & well");
  assert.equal(emits[0].event.removed, "Outage");
  assert.notEqual(emits[0].event.hash, emits[0].event.previous_hash);
});

test("invisible changes count in an exact comparison only", async () => {
  const props = { compare: "exact" };
  const first = await check(page("x"), { props });
  assert.equal((await check(page("x"), { props, db: first.db })).emits.length, 1);
});

test("ignored text does not count", async () => {
  const props = { ignore: ["Updated \\d+ minutes ago"] };
  const first = await check(page("Updated 5 minutes ago"), { props });
  assert.deepEqual((await check(page("Updated 17 minutes ago"), { props, db: first.db })).emits, []);
  const wrong = await check(page("x"), { props: { ignore: ["("] } });
  assert.match(wrong.error.message, /"\(" is not a regular expression/);
});

test("another configuration starts anew", async () => {
  const first = await check(page("x"));
  const { emits } = await check(page("y"), { props: { compare: "exact" }, db: first.db });
  assert.deepEqual(emits, []);
});

test("an unchanged page is not sent again", async () => {
  const first = await check("one", { type: "text/plain", headers: { etag: '"1"' } });
  const second = await check("", { db: first.db, status: 304 });
  assert.equal(second.requests[0].headers["if-none-match"], '"1"');
  assert.equal(second.error, undefined);
});

test("hostile pages end soon", async () => {
  const started = Date.now();
  const first = await check("a");
  for (const content of [
    "<".repeat(1_000_000),
    "<script>".repeat(100_000),
    "<head".repeat(200_000),
    "&#".repeat(500_000),
  ]) {
    assert.equal((await check(content, { db: first.db })).error, undefined);
  }
  assert.ok(Date.now() - started < 10_000);
});
