import assert from "node:assert/strict";
import test from "node:test";
import { run } from "sluice/test";
import { hmac } from "../../../common/signatures.mjs";
import { jsonRequest } from "../../../testing/requests.mjs";
import component from "./shopify-webhook.mjs";
import sample from "./test-event.mjs";

const PROPS = { secret: "shpss_test" };

function signed(body, { secret = PROPS.secret, headers = {} } = {}) {
  const request = jsonRequest(body, {
    "x-shopify-topic": sample.topic,
    "x-shopify-shop-domain": sample.shop,
    "x-shopify-event-id": sample.event_id,
    "x-shopify-triggered-at": sample.triggered_at,
    ...headers,
  });
  return {
    ...request,
    headers: { ...request.headers, "x-shopify-hmac-sha256": hmac(secret, "base64", request.bodyRaw) },
  };
}

test("a signed event is emitted", async () => {
  const { emits, response } = await run(component, { props: PROPS, event: signed(sample.payload) });
  assert.equal(response.status, 200);
  assert.deepEqual(emits[0].event, sample);
  assert.equal(emits[0].summary, "orders/create #1042");
});

test("other signatures are refused", async () => {
  const cases = [
    [signed({}, { secret: "wrong" }), 401],
    [jsonRequest({}), 401],
    [signed({}, { headers: { "x-shopify-topic": "" } }), 400],
  ];
  for (const [event, status] of cases) {
    const { emits, response } = await run(component, { props: PROPS, event });
    assert.deepEqual([response.status, emits.length], [status, 0]);
  }
});

test("topics can be selected", async () => {
  const { emits } = await run(component, { props: { ...PROPS, topics: ["products/*"] }, event: signed({}) });
  assert.deepEqual(emits, []);
});
