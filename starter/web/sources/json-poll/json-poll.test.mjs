import assert from "node:assert/strict";
import test from "node:test";
import { run } from "sluice/test";
import { withFetch } from "../../../testing/fake_fetch.mjs";
import component from "./json-poll.mjs";

async function poll(answer, { db = {}, props = {} } = {}) {
  let result;
  const respond = typeof answer === "function" ? answer : () => Response.json(answer);
  const requests = await withFetch(respond, async () => {
    result = await run(component, { props: { url: "https://example.com/items", ...props }, db });
  });
  return { ...result, requests, ids: result.emits.map(({ event }) => event.id) };
}

test("each item of a list is emitted once, in the order of its times", async () => {
  const props = { itemsPath: "data.items", idPath: "id", timePath: "at", summaryPath: "title" };
  const items = [
    { id: 1, at: "2025-01-15T09:00:00Z", title: "one" },
    { id: 2, at: "2025-01-15T10:00:00Z", title: "two" },
  ];
  const first = await poll({ data: { items } }, { props });
  assert.deepEqual(first.ids, [1, 2]);
  assert.equal(first.emits[1].summary, "two");
  assert.equal(first.emits[1].ts, Date.parse("2025-01-15T10:00:00Z"));
  const more = [{ id: 4, at: 1736935200 }, { id: 3, at: 1736931600 }, ...items];
  const second = await poll({ data: { items: more } }, { props, db: first.db });
  assert.deepEqual(second.ids, [3, 4]);
});

test("the first run does not flood", async () => {
  const items = Array.from({ length: 500 }, (_, id) => ({ id }));
  const first = await poll(items, { props: { idPath: "id", initialItems: 2 } });
  assert.deepEqual(first.ids, [1, 0]);
  assert.deepEqual((await poll(items, { props: { idPath: "id" }, db: first.db })).ids, []);
});

test("items without an id are told apart by their content", async () => {
  const first = await poll([{ a: 1, b: 2 }]);
  assert.equal(first.emits.length, 1);
  const second = await poll(
    [
      { b: 2, a: 1 },
      { a: 2, b: 2 },
    ],
    { db: first.db },
  );
  assert.deepEqual(
    second.emits.map(({ event }) => event),
    [{ a: 2, b: 2 }],
  );
});

test("further pages are requested", async () => {
  const pages = {
    "/items": { rows: [{ id: 1 }], next: "/items?page=2" },
    "/items?page=2": { rows: [{ id: 2 }], next: "https://other.example.com/items?page=3" },
    "/items?page=3": { rows: [{ id: 3 }], next: "/items?page=3" },
  };
  const answer = (url) => Response.json(pages[url.replace(/^https:\/\/[^/]*/, "")]);
  const props = { itemsPath: "rows", idPath: "id", nextPath: "next", token: "secret", headers: { "x-key": "k" } };
  const { ids, requests } = await poll(answer, { props });
  assert.deepEqual(ids.sort(), [1, 2, 3]);
  assert.equal(requests[1].headers.authorization, "Bearer secret");
  // Credentials do not leave for another origin.
  assert.equal(requests[2].headers.authorization, undefined);
  assert.equal(requests[2].headers["x-key"], undefined);
  const limited = await poll(answer, { props: { ...props, maxPages: 1 } });
  assert.deepEqual(limited.ids, [1]);
});

test("the header Link names the next page, too", async () => {
  const answer = (url) =>
    url.endsWith("2")
      ? Response.json([{ id: 2 }])
      : Response.json([{ id: 1 }], {
          headers: { link: '<https://example.com/items?page=2>; rel="next", <x>; rel="last"' },
        });
  const { ids } = await poll(answer, { props: { idPath: "id" } });
  assert.deepEqual(ids.sort(), [1, 2]);
});

test("a request can be a POST with a body", async () => {
  const { requests } = await poll([], { props: { method: "POST", body: { query: "x" } } });
  assert.equal(requests[0].method, "POST");
  assert.equal(requests[0].body, '{"query":"x"}');
  assert.equal(requests[0].headers["content-type"], "application/json");
});

test("errors name the prop", async () => {
  const missing = await poll({ items: {} }, { props: { itemsPath: "items" } });
  assert.match(missing.error.message, /There is no list at items: set Path to the items/);
  const noId = await poll([{}], { props: { idPath: "id" } });
  assert.match(noId.error.message, /An item has no id/);
  const path = await poll([], { props: { itemsPath: "a[" } });
  assert.match(path.error.message, /Path to the items must be a path/);
  const text = await poll(() => new Response("<html>"));
  assert.match(text.error.message, /did not respond with JSON/);
  const proto = await poll({}, { props: { itemsPath: "__proto__" } });
  assert.match(proto.error.message, /There is no list/);
});
