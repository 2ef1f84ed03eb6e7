// Signed and forged requests, and whether a receiver must accept them.

import { createHmac, randomBytes } from "node:crypto";

/** A secret in the format of webhooks. */
export function newSecret() {
  return `whsec_${randomBytes(24).toString("base64")}`;
}

/** The signature of Standard Webhooks, version 1. */
export function sign(secret, id, timestamp, body) {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}

/** `{name, accepted, headers, body}` of each request. */
export function requestsFor(secret) {
  const now = Math.floor(Date.now() / 1000);
  const body = JSON.stringify({ id: 42, name: "Zoë 🦀", paid: true });
  const request = (name, accepted, { id = "dlv_1", timestamp = now, signature, sent = body, without } = {}) => {
    const headers = {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signature ?? sign(secret, id, timestamp, body),
    };
    delete headers[without];
    return { name, accepted, headers, body: sent };
  };
  const genuine = sign(secret, "dlv_1", now, body);
  const foreign = sign(newSecret(), "dlv_1", now, body);
  return [
    request("a genuine request", true),
    request("a genuine signature after one by an old secret", true, { signature: `${foreign} ${genuine}` }),
    request("a genuine request that is four minutes old", true, { timestamp: now - 240 }),
    request("a signature by another secret", false, { signature: foreign }),
    request("another body", false, { sent: body.replace("true", "false") }),
    request("another id", false, { id: "dlv_2", signature: genuine }),
    request("a timestamp of ten minutes ago", false, { timestamp: now - 600 }),
    request("a timestamp in ten minutes", false, { timestamp: now + 600 }),
    request("another version of the signature", false, { signature: genuine.replace("v1", "v2") }),
    request("the beginning of a signature", false, { signature: genuine.slice(0, -8) }),
    request("a signature without a value", false, { signature: "v1," }),
    request("a signature without a comma", false, { signature: "v1" }),
    request("a text as signature", false, { signature: "nonsense" }),
    request("no signature", false, { without: "webhook-signature" }),
    request("no timestamp", false, { without: "webhook-timestamp" }),
    request("no id", false, { without: "webhook-id" }),
  ];
}
