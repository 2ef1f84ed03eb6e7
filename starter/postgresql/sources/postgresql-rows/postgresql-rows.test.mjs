import assert from "node:assert/strict";
import test from "node:test";
import { run } from "sluice/test";
import { identifier } from "../../common/connection.mjs";
import component from "./postgresql-rows.mjs";

const PROPS = { connectionString: "postgres://127.0.0.1/none", table: "orders", column: "id" };

test("names are quoted", () => {
  assert.equal(identifier('a"; DROP TABLE x; --', "Table"), '"a""; DROP TABLE x; --"');
  assert.throws(() => identifier("", "Table"), /Table must be the name/);
  assert.throws(() => identifier("a\0b", "Table"), /Table must be the name/);
});

test("errors name the prop", async () => {
  const { error } = await run(component, { props: { ...PROPS, connectionString: "mysql://x" } });
  assert.equal(error.name, "ConfigurationError");
  assert.match(error.message, /must begin with postgres/);
});

test("values are parameters", async () => {
  const statements = [];
  const self = (fields) => ({
    ...component.methods,
    ...PROPS,
    schema: "public",
    maxRows: 500,
    initialItems: 3,
    ...fields,
  });
  statements.push(self({}).firstQuery(), self({ idColumn: "no" }).nextQuery({ value: "7", id: "8" }));
  assert.deepEqual(statements, [
    {
      text: 'SELECT *, "id"::text AS sluice_cursor, "id"::text AS sluice_cursor_id FROM "public"."orders" WHERE "id" IS NOT NULL ORDER BY "id" DESC, "id" DESC LIMIT $1',
      values: [3],
    },
    {
      text: 'SELECT *, "id"::text AS sluice_cursor, "no"::text AS sluice_cursor_id FROM "public"."orders" WHERE ("id", "no") > ($1, $2) ORDER BY "id", "no" LIMIT $3',
      values: ["7", "8", 500],
    },
  ]);
});
