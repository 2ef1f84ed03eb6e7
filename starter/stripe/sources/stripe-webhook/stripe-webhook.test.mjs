import assert from "node:assert/strict";
import test from "node:test";
import { run } from "sluice/test";
import { hmac } from "../../../common/signatures.mjs";
import { jsonRequest } from "../../../testing/requests.mjs";
import component from "./stripe-webhook.mjs";
import sample from "./test-event.mjs";

const PROPS = { secret: "whsec_test" };
const now = () => Math.floor(Date.now() / 1000);

function signed(body, { time = now(), secret = PROPS.secret, also = "" } = {}) {
  const request = jsonRequest(body);
  const signature = hmac(secret, "hex", `${time}.${request.bodyRaw}`);
  return { ...request, headers: { ...request.headers, "stripe-signature": `t=${time},${also}v1=${signature},v0=x` } };
}

test("a signed event is emitted", async () => {
  const { emits, response } = await run(component, { props: PROPS, event: signed(sample) });
  assert.equal(response.status, 200);
  assert.deepEqual(emits[0].event, sample);
  assert.equal(emits[0].id, sample.id);
  assert.equal(emits[0].summary, "invoice.paid in_1QhXyY2eZvKYlo2C");
});

test("one of several signatures is enough", async () => {
  const { emits } = await run(component, { props: PROPS, event: signed(sample, { also: `v1=${"0".repeat(64)},` }) });
  assert.equal(emits.length, 1);
});

test("forged and old requests are refused", async () => {
  const late = { time: now() - 301 };
  const early = { time: now() + 400 };
  const cases = [
    [signed(sample, { secret: "wrong" }), 401],
    [jsonRequest(sample), 401],
    [{ ...signed(sample), bodyRaw: "{}" }, 401],
    [signed(sample, late), 400],
    [signed(sample, early), 400],
    [signed(sample, { time: "NaN" }), 400],
    [signed({ hello: "world" }), 400],
  ];
  for (const [event, status] of cases) {
    const { emits, response } = await run(component, { props: PROPS, event });
    assert.equal(response.status, status);
    assert.deepEqual(emits, []);
  }
  const patient = await run(component, { props: { ...PROPS, tolerance: 600 }, event: signed(sample, late) });
  assert.equal(patient.emits.length, 1);
});

test("types can be selected", async () => {
  const other = await run(component, { props: { ...PROPS, types: ["customer.*"] }, event: signed(sample) });
  assert.deepEqual([other.response.status, other.emits.length], [200, 0]);
  const wanted = await run(component, { props: { ...PROPS, types: ["invoice.*"] }, event: signed(sample) });
  assert.equal(wanted.emits.length, 1);
});
