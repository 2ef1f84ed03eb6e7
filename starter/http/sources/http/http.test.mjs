import assert from "node:assert/strict";
import test from "node:test";
import { run } from "sluice/test";
import { jsonRequest } from "../../../testing/requests.mjs";
import component from "./http.mjs";

test("a request is emitted and answered", async () => {
  const event = jsonRequest({ id: 42 }, {}, "/orders");
  const { emits, response, error } = await run(component, { event });
  assert.equal(error, undefined);
  assert.deepEqual(emits[0].event, event);
  assert.equal(emits[0].summary, "POST /orders");
  assert.equal(response.status, 200);
  assert.equal(response.body, '{"success":true}');
});

test("the response and the event can be chosen", async () => {
  const props = { bodyOnly: true, status: 201, contentType: "text/plain", responseBody: "thanks" };
  const { emits, response } = await run(component, { props, event: jsonRequest({ id: 42 }) });
  assert.deepEqual(emits[0].event, { id: 42 });
  assert.equal(response.status, 201);
  assert.equal(response.body, "thanks");
});

test("requests without the token are refused", async () => {
  const props = { token: "secret" };
  for (const headers of [{}, { authorization: "Bearer wrong" }, { "x-token": "" }]) {
    const { emits, response } = await run(component, { props, event: jsonRequest({}, headers) });
    assert.equal(response.status, 401);
    assert.deepEqual(emits, []);
  }
  for (const headers of [{ authorization: "Bearer secret" }, { "x-token": "secret" }]) {
    const { emits, response } = await run(component, { props, event: jsonRequest({}, headers) });
    assert.equal(response.status, 200);
    assert.ok(!JSON.stringify(emits).includes("secret"));
  }
});

test("other methods are refused", async () => {
  const event = { ...jsonRequest({}), method: "DELETE" };
  const { emits, response } = await run(component, { props: { allowedMethods: ["POST", "PUT"] }, event });
  assert.equal(response.status, 405);
  assert.deepEqual(emits, []);
});

test("a manual run is emitted", async () => {
  const { emits, error } = await run(component, { event: { hello: "world" } });
  assert.equal(error, undefined);
  assert.deepEqual(emits[0].event, { hello: "world" });
});
