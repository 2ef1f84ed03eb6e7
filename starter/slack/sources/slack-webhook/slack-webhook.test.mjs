import assert from "node:assert/strict";
import test from "node:test";
import { run } from "sluice/test";
import { hmac } from "../../../common/signatures.mjs";
import { formRequest, jsonRequest } from "../../../testing/requests.mjs";
import component from "./slack-webhook.mjs";
import sample from "./test-event.mjs";

const PROPS = { secret: "8f742231b10e8888abcd99yyyzzz85a5" };

function signed(request, { time = Math.floor(Date.now() / 1000), secret = PROPS.secret } = {}) {
  const signature = `v0=${hmac(secret, "hex", `v0:${time}:${request.bodyRaw}`)}`;
  const headers = { ...request.headers, "x-slack-request-timestamp": String(time), "x-slack-signature": signature };
  return { ...request, headers };
}

test("a signed event is emitted", async () => {
  const { emits, response } = await run(component, { props: PROPS, event: signed(jsonRequest(sample)) });
  assert.equal(response.status, 200);
  assert.deepEqual(emits[0].event, sample);
  assert.equal(emits[0].id, sample.event_id);
});

test("the address is verified", async () => {
  const event = signed(jsonRequest({ type: "url_verification", challenge: "3eZbrw1aB" }));
  const { emits, response } = await run(component, { props: PROPS, event });
  assert.equal(response.status, 200);
  assert.deepEqual(JSON.parse(response.body), { challenge: "3eZbrw1aB" });
  assert.deepEqual(emits, []);
});

test("forged and old requests are refused", async () => {
  const old = { time: Math.floor(Date.now() / 1000) - 301 };
  const cases = [
    [signed(jsonRequest(sample), { secret: "wrong" }), 401],
    [jsonRequest(sample), 401],
    [signed(jsonRequest(sample), old), 400],
    [signed({ ...jsonRequest({}), body: "text", bodyRaw: "text" }), 400],
  ];
  for (const [event, status] of cases) {
    const { emits, response } = await run(component, { props: PROPS, event });
    assert.deepEqual([response.status, emits.length], [status, 0]);
  }
});

test("commands and interactions are emitted, too", async () => {
  const command = await run(component, {
    props: PROPS,
    event: signed(formRequest({ command: "/weather", text: "Rome" })),
  });
  assert.equal(command.emits[0].event.type, "slash_command");
  assert.equal(command.emits[0].summary, "/weather Rome");
  const payload = JSON.stringify({ type: "block_actions", user: { username: "ada" } });
  const action = await run(component, { props: PROPS, event: signed(formRequest({ payload })) });
  assert.equal(action.emits[0].summary, "block_actions ada");
});

test("bots and other types are left out", async () => {
  const bot = { ...sample, event: { ...sample.event, bot_id: "B1" } };
  assert.equal((await run(component, { props: PROPS, event: signed(jsonRequest(bot)) })).emits.length, 0);
  const props = { ...PROPS, types: ["message"] };
  assert.equal((await run(component, { props, event: signed(jsonRequest(sample)) })).emits.length, 0);
});
