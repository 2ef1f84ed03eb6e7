import assert from "node:assert/strict";
import test from "node:test";
import { run } from "sluice/test";
import component from "./data-store.mjs";

async function perform(props, values = { a: 1 }) {
  const { returned, stores, error } = await run(component, { props: { store: values, ...props } });
  if (error) throw new Error(error.message);
  return { returned, values: Array.isArray(stores) ? stores[0].values : stores.store };
}

test("operations", async () => {
  assert.equal((await perform({ operation: "get", key: "a" })).returned, 1);
  assert.equal((await perform({ operation: "get", key: "b" })).returned, null);
  assert.equal((await perform({ operation: "get", key: "b", value: "none" })).returned, "none");
  assert.deepEqual((await perform({ operation: "set", key: "b", value: { c: 2 } })).values, { a: 1, b: { c: 2 } });
  assert.deepEqual((await perform({ operation: "add", key: "a", value: 5 })).returned, { is_new: false, value: 1 });
  assert.deepEqual((await perform({ operation: "add", key: "b", value: 5 })).values, { a: 1, b: 5 });
  assert.equal((await perform({ operation: "increment", key: "a" })).returned, 2);
  assert.deepEqual((await perform({ operation: "increment", key: "n", value: "-2.5" })).values, { a: 1, n: -2.5 });
  assert.equal((await perform({ operation: "has", key: "a" })).returned, true);
  assert.deepEqual(await perform({ operation: "delete", key: "a" }), { returned: true, values: {} });
  assert.deepEqual((await perform({ operation: "list" })).returned, {
    entries: [{ key: "a", value: 1 }],
    truncated: false,
  });
  assert.deepEqual((await perform({ operation: "clear" })).values, {});
});

test("long lists are cut", async () => {
  const values = Object.fromEntries(Array.from({ length: 1500 }, (_, n) => [`k${n}`, n]));
  const { returned } = await perform({ operation: "list" }, values);
  assert.deepEqual([returned.entries.length, returned.truncated], [1000, true]);
});

test("errors name the prop", async () => {
  await assert.rejects(perform({ operation: "get" }), /Key is required/);
  await assert.rejects(perform({ operation: "set", key: "a" }), /Value is required/);
  await assert.rejects(perform({ operation: "increment", key: "t" }, { t: "text" }), /is not a number/);
});
