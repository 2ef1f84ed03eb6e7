// The pages of the API reference, as they were written for the last build.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { exampleOf, inLines, requestWithCurl } from "../.vitepress/api-examples.mjs";

const folder = join(import.meta.dirname, "..");
const api = JSON.parse(readFileSync(join(folder, "openapi.json"), "utf8"));
const pageOf = (name) => readFileSync(join(folder, "api", `${name.replaceAll(" ", "-")}.md`), "utf8");

test("every operation is on the page of its tag, with its parameters and an example", () => {
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, { operationId, tags, parameters = [] }] of Object.entries(methods)) {
      const sections = pageOf(tags[0]).split("\n## ");
      const section = sections.find((text) => text.includes(`Operation \`${operationId}\`.`));
      assert.ok(section, operationId);
      assert.ok(section.includes(`>${method.toUpperCase()}</span> <code v-pre>${path}</code>`), operationId);
      for (const { name } of parameters) assert.ok(section.includes(`| \`${name}\``), `${operationId} ${name}`);
      assert.match(section, /::: details Example\n```sh\ncurl /, operationId);
    }
  }
});

test("an example has the fields that are always there, and null where nothing is known", () => {
  const schema = {
    type: "object",
    required: ["id", "name", "error", "tags"],
    properties: {
      id: { type: "string", example: "dc_K0uAee" },
      name: { type: "string" },
      error: { type: ["string", "null"] },
      tags: { type: "array", items: { enum: ["a", "b"] } },
      more: { type: "integer" },
    },
  };
  assert.deepEqual(exampleOf({}, schema), { id: "dc_K0uAee", name: "orders", error: null, tags: ["a"] });
});

test("JSON is short, and the same", () => {
  const value = { data: [{ id: "a:b,c", list: [1, 2], text: 'x"y' }], more: "x".repeat(70) };
  const text = inLines(value);
  assert.deepEqual(JSON.parse(text), value);
  assert.equal(text.split("\n")[1], `  "data": [{"id": "a:b,c", "list": [1, 2], "text": "x\\"y"}],`);
});

test("a request with curl has the key, the path with its segments, and the body", () => {
  const schema = { type: "object", required: ["url"], properties: { url: { type: "string", example: "it's" } } };
  const operation = {
    method: "PUT",
    path: "/v1/webhooks/{id}",
    parameters: [{ in: "path", name: "id", example: "wh_1", schema: { type: "string" } }],
    requestBody: { content: { "application/json": { schema } } },
    security: [{ api_key: [] }],
  };
  assert.equal(
    requestWithCurl({}, operation),
    `curl -X PUT "$SLUICE_URL/v1/webhooks/wh_1" \\
  -H "Authorization: Bearer $SLUICE_API_KEY" \\
  --json '{"url":"it'\\''s"}'`,
  );
});
