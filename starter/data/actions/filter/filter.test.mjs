import assert from "node:assert/strict";
import test from "node:test";
import { run } from "sluice/test";
import component from "./filter.mjs";

async function passes(props) {
  const { returned, flow, error } = await run(component, { props });
  if (error) throw new Error(error.message);
  return returned === true && flow === undefined;
}

test("operators", async () => {
  const cases = [
    ["paid", "equals", "paid", true],
    [5, "equals", "5", true],
    [{ a: 1, b: 2 }, "equals", { b: 2, a: 1 }, true],
    ["a", "not-equals", "b", true],
    ["haystack", "contains", "stack", true],
    [["a", "b"], "contains", "b", true],
    ["abc", "not-contains", "x", true],
    ["abc", "starts-with", "ab", true],
    ["abc", "ends-with", "bc", true],
    ["order-42", "matches", "^order-\\d+$", true],
    ["order-x", "matches", "^order-\\d+$", false],
    ["10", "greater-than", "9", true],
    [9, "at-least", 9, true],
    ["2025-01-15T09:00:00Z", "less-than", "2025-01-15T11:00:00+01:00", true],
    [undefined, "less-than", 5, false],
    [3, "at-most", 2, false],
    ["b", "one-of", "a, b", true],
    ["c", "one-of", ["a", "b"], false],
    [[], "is-empty", undefined, true],
    [0, "is-not-empty", undefined, true],
    [true, "is-true", undefined, true],
    ["false", "is-false", undefined, true],
  ];
  for (const [value, operator, other, expected] of cases) {
    assert.equal(await passes({ value, operator, other }), expected, `${value} ${operator} ${other}`);
  }
});

test("a run that does not pass ends with a reason", async () => {
  const { flow } = await run(component, { props: { value: 1, operator: "greater-than", other: 2 } });
  assert.match(JSON.stringify(flow), /the condition does not hold: 1 is greater than 2/);
  const own = await run(component, { props: { value: "", reason: "nothing to do" } });
  assert.match(JSON.stringify(own.flow), /nothing to do/);
});

test("several conditions", async () => {
  const conditions = [
    { value: true, operator: "is-true" },
    { value: 1, operator: "greater-than", other: 2 },
  ];
  assert.equal(await passes({ conditions }), false);
  assert.equal(await passes({ conditions, match: "any" }), true);
  assert.equal(await passes({ conditions: JSON.stringify(conditions.slice(0, 1)) }), true);
});

test("errors name the prop", async () => {
  await assert.rejects(passes({ value: 1, operator: "constructor" }), /There is no operator "constructor"/);
  await assert.rejects(passes({ value: "a", operator: "matches", other: "(" }), /not a regular expression/);
  await assert.rejects(passes({ conditions: { a: 1 } }), /must be a list/);
});
