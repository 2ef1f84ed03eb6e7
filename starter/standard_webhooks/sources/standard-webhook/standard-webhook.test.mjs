import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import test from "node:test";
import { run } from "sluice/test";
import { hmac } from "../../../common/signatures.mjs";
import { jsonRequest } from "../../../testing/requests.mjs";
import component from "./standard-webhook.mjs";
import sample from "./test-event.mjs";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const PROPS = { secret: SECRET };
const now = () => Math.floor(Date.now() / 1000);
const bytesOf = (secret) => Buffer.from(secret.replace("whsec_", ""), "base64");

function signed(body, { time = now(), signature, prefix = "webhook", secret = SECRET } = {}) {
  const request = jsonRequest(body);
  const own = `v1,${hmac(bytesOf(secret), "base64", `msg_1.${time}.${request.bodyRaw}`)}`;
  const headers = {
    ...request.headers,
    [`${prefix}-id`]: "msg_1",
    [`${prefix}-timestamp`]: String(time),
    [`${prefix}-signature`]: signature?.(`msg_1.${time}.${request.bodyRaw}`, own) ?? own,
  };
  return { ...request, headers };
}

test("the documented example has its signature", () => {
  const content = 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}';
  assert.equal(hmac(bytesOf(SECRET), "base64", content), "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

test("a signed message is emitted", async () => {
  for (const prefix of ["webhook", "svix"]) {
    const { emits, response } = await run(component, { props: PROPS, event: signed(sample, { prefix }) });
    assert.equal(response.status, 204);
    assert.deepEqual(emits[0].event, sample);
    assert.deepEqual([emits[0].id, emits[0].summary], ["msg_1", "user.created"]);
  }
});

test("one of several signatures or secrets is enough", async () => {
  const several = signed(sample, { signature: (_, own) => `v1,AAAA v2,x ${own}` });
  assert.equal((await run(component, { props: PROPS, event: several })).emits.length, 1);
  const props = {
    secret: `whsec_${Buffer.from("a new secret of some length").toString("base64")}`,
    previousSecret: SECRET,
  };
  assert.equal((await run(component, { props, event: signed(sample) })).emits.length, 1);
});

test("asymmetric signatures are checked with the public key", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const secret = `whpk_${publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64")}`;
  const signature = (content) => `v1a,${sign(null, Buffer.from(content), privateKey).toString("base64")}`;
  assert.equal((await run(component, { props: { secret }, event: signed(sample, { signature }) })).emits.length, 1);
  const symmetric = await run(component, { props: { secret }, event: signed(sample) });
  assert.equal(symmetric.response.status, 401);
});

test("forged and old messages are refused", async () => {
  const cases = [
    [signed(sample, { signature: () => "v1,AAAA" }), 401],
    [jsonRequest(sample), 401],
    [{ ...signed(sample), bodyRaw: "{}" }, 401],
    [signed(sample, { time: now() - 301 }), 400],
    [signed(sample, { time: now() + 400 }), 400],
  ];
  for (const [event, status] of cases) {
    const { emits, response } = await run(component, { props: PROPS, event });
    assert.deepEqual([response.status, emits.length], [status, 0]);
  }
});

test("a secret that is not base64 is an error of the configuration", async () => {
  const { error } = await run(component, { props: { secret: "whsec_not base64" }, event: signed(sample) });
  assert.equal(error.name, "ConfigurationError");
});
