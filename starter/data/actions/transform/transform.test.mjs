import assert from "node:assert/strict";
import test from "node:test";
import { run } from "sluice/test";
import component from "./transform.mjs";

test("a mapping takes values from paths", async () => {
  const input = { customer: { email: "ada@example.com" }, items: [{ id: 7 }] };
  const mapping = { email: "customer.email", first: "$.items[0].id", none: "a.b", all: "$" };
  const { returned } = await run(component, { props: { input, mapping } });
  assert.deepEqual(returned, { email: "ada@example.com", first: 7, none: null, all: input });
});

test("an expression is JavaScript", async () => {
  const props = { expression: "input.filter((n) => n > steps.limit.$return_value) // large ones" };
  const steps = { limit: { $return_value: 1 } };
  assert.deepEqual((await run(component, { props: { ...props, input: [1, 2, 3] }, steps })).returned, [2, 3]);
  const waiting = await run(component, { props: { expression: "await Promise.resolve(event.a)" }, event: { a: 5 } });
  assert.equal(waiting.returned, 5);
});

test("errors name the prop", async () => {
  assert.match((await run(component, { props: {} })).error.message, /Set either Mapping or Expression/);
  assert.match((await run(component, { props: { expression: "a b" } })).error.message, /not valid JavaScript/);
  assert.match((await run(component, { props: { mapping: { a: "[" } } })).error.message, /a must be a path/);
});
