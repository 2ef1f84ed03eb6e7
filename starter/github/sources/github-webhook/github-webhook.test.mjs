import assert from "node:assert/strict";
import test from "node:test";
import { run } from "sluice/test";
import { hmac } from "../../../common/signatures.mjs";
import { formRequest, jsonRequest } from "../../../testing/requests.mjs";
import component from "./github-webhook.mjs";
import sample from "./test-event.mjs";

const PROPS = { secret: "It's a Secret to Everybody" };

function signed(request, name = "issues", secret = PROPS.secret) {
  const headers = {
    ...request.headers,
    "x-github-event": name,
    "x-github-delivery": sample.delivery,
    "x-hub-signature-256": `sha256=${hmac(secret, "hex", request.bodyRaw)}`,
  };
  return { ...request, headers };
}

test("a signed event is emitted", async () => {
  const { emits, response } = await run(component, { props: PROPS, event: signed(jsonRequest(sample.payload)) });
  assert.equal(response.status, 202);
  assert.deepEqual(emits[0].event, sample);
  assert.equal(emits[0].id, sample.delivery);
  assert.equal(emits[0].summary, "issues opened acme/things #42 The door does not close");
});

test("the documented signature is the same", () => {
  const expected = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
  assert.equal(hmac(PROPS.secret, "hex", "Hello, World!"), expected);
});

test("forms carry the payload in a field", async () => {
  const event = signed(formRequest({ payload: JSON.stringify(sample.payload) }));
  const { emits } = await run(component, { props: PROPS, event });
  assert.deepEqual(emits[0].event.payload, sample.payload);
});

test("other signatures are refused", async () => {
  const request = signed(jsonRequest(sample.payload));
  const { "x-hub-signature-256": _, ...headers } = request.headers;
  const forged = { ...request, bodyRaw: `${request.bodyRaw} ` };
  for (const event of [signed(jsonRequest({}), "issues", "wrong"), { ...request, headers }, forged]) {
    const { emits, response } = await run(component, { props: PROPS, event });
    assert.equal(response.status, 401);
    assert.deepEqual(emits, []);
  }
});

test("an empty secret accepts nothing", async () => {
  const { emits, response, error } = await run(component, {
    props: { secret: "" },
    event: jsonRequest(sample.payload),
  });
  assert.equal(error.name, "ConfigurationError");
  assert.deepEqual([response, emits], [undefined, []]);
});

test("a ping is answered, and other events are left out", async () => {
  const ping = await run(component, { props: PROPS, event: signed(jsonRequest({ zen: "Keep it simple" }), "ping") });
  assert.deepEqual([ping.response.status, ping.emits.length], [200, 0]);
  const props = { ...PROPS, events: ["pull_request*"] };
  const other = await run(component, { props, event: signed(jsonRequest(sample.payload)) });
  assert.deepEqual([other.response.status, other.emits.length], [202, 0]);
  const review = await run(component, { props, event: signed(jsonRequest({}), "pull_request_review") });
  assert.equal(review.emits.length, 1);
});
