import { createPublicKey, verify } from "node:crypto";
import { ConfigurationError } from "../../../common/errors.mjs";
import { isSelected } from "../../../common/name_filter.mjs";
import { refuse, rejectBadRequest } from "../../../common/refusals.mjs";
import { hmac, isRecent, isSame, rawBody, toleranceProp } from "../../../common/signatures.mjs";
import { timestamp as timestampOf } from "../../../common/times.mjs";

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** The beginning of an Ed25519 public key in DER form. */
const ED25519_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

export default {
  key: "standard-webhook",
  name: "Standard Webhooks",
  description:
    "Emits webhooks that are signed as [Standard Webhooks](https://www.standardwebhooks.com) describes, with symmetric or asymmetric signatures. Timestamps are checked, and each message is emitted once.",
  version: "1.0.0",
  type: "source",
  dedupe: "unique",
  props: {
    http: { type: "$.interface.http", customResponse: true },
    secret: {
      type: "string",
      label: "Signing secret",
      description: "The secret of the webhook (`whsec_…`), or the public key of the sender (`whpk_…`).",
      secret: true,
    },
    previousSecret: {
      type: "string",
      label: "Previous signing secret",
      description: "A second secret that is accepted while the first one is being replaced.",
      secret: true,
      optional: true,
    },
    types: {
      type: "string[]",
      label: "Event types",
      description:
        "Values of the field `type` to emit, such as `user.created` or `user.*`. Leave empty to emit all types.",
      optional: true,
    },
    tolerance: toleranceProp,
  },
  async run(event) {
    const { id, timestamp, signatures } = signed(event.headers ?? {});
    if (!id || !timestamp || !signatures) return refuse(this.http, "a header of the signature is missing");
    const keys = [this.secret, this.previousSecret].filter(Boolean).map(parseKey);
    const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), rawBody(event)]);
    const checks = keys.flatMap((key) => signatures.map((signature) => isSigned(key, content, signature)));
    if (!checks.includes(true)) return refuse(this.http, "the signature is wrong");
    if (!isRecent(timestamp, this.tolerance)) return rejectBadRequest(this.http, "the timestamp is too far from now");
    const { body } = event;
    if (isSelected(body?.type ?? "", this.types)) {
      const ts = timestampOf(body?.timestamp) ?? Number(timestamp) * 1000;
      this.$emit(body, { id, summary: body?.type ?? id, ts });
    }
    return this.http.respond({ status: 204 });
  },
};

// Some senders use the names that are older than the standard.
function signed(headers) {
  const value = (name) => headers[`webhook-${name}`] ?? headers[`svix-${name}`];
  return { id: value("id"), timestamp: value("timestamp"), signatures: value("signature")?.split(" ") };
}

function parseKey(text) {
  const [, prefix = "whsec_", encoded] = /^(whsec_|whpk_)?(.*)$/s.exec(text.trim());
  if (!BASE64.test(encoded))
    throw new ConfigurationError("The signing secret must be base64, as in whsec_MfKQ9r8GKYqrTwjU");
  const bytes = Buffer.from(encoded, "base64");
  if (prefix === "whsec_") return { version: "v1", bytes };
  if (bytes.length !== 32) throw new ConfigurationError("A public key (whpk_…) must have 32 bytes");
  const der = Buffer.concat([ED25519_PREFIX, bytes]);
  return { version: "v1a", publicKey: createPublicKey({ key: der, format: "der", type: "spki" }) };
}

function isSigned({ version, bytes, publicKey }, content, signature) {
  const [given, value = ""] = signature.split(",");
  if (given !== version) return false;
  if (version === "v1") return isSame(value, hmac(bytes, "base64", content));
  return verify(null, content, publicKey, Buffer.from(value, "base64"));
}
