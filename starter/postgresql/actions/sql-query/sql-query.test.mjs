import assert from "node:assert/strict";
import test from "node:test";
import { run } from "sluice/test";
import component from "./sql-query.mjs";

test("errors name the prop", async () => {
  const props = { connectionString: "postgres://127.0.0.1/none", query: "SELECT 1" };
  const list = await run(component, { props: { ...props, params: { a: 1 } } });
  assert.match(list.error.message, /Parameters must be a list/);
  const address = await run(component, { props: { ...props, connectionString: "localhost" } });
  assert.match(address.error.message, /must begin with postgres/);
});
