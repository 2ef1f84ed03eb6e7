import { isSelected } from "../../../common/name_filter.mjs";
import { refuse, rejectBadRequest } from "../../../common/refusals.mjs";
import { hmac, isRecent, isSame, rawBody, toleranceProp } from "../../../common/signatures.mjs";

export default {
  key: "stripe-webhook",
  name: "Stripe webhook",
  description:
    "Emits the events that Stripe sends to a webhook endpoint. Signatures and timestamps are checked, and each event is emitted once.",
  version: "1.0.0",
  type: "source",
  dedupe: "unique",
  props: {
    http: { type: "$.interface.http", customResponse: true },
    secret: {
      type: "string",
      label: "Signing secret",
      description: "The signing secret of the webhook endpoint, which begins with `whsec_`.",
      secret: true,
    },
    types: {
      type: "string[]",
      label: "Event types",
      description: "Types to emit, such as `invoice.paid` or `customer.*`. Leave empty to emit all types.",
      optional: true,
    },
    tolerance: toleranceProp,
  },
  async run(event) {
    const { timestamp, signatures } = parseHeader(event.headers?.["stripe-signature"]);
    if (timestamp === undefined || signatures.length === 0) return refuse(this.http, "the signature is missing");
    const expected = hmac(this.secret, "hex", `${timestamp}.`, rawBody(event));
    const isSigned = signatures.map((signature) => isSame(signature, expected)).includes(true);
    if (!isSigned) return refuse(this.http, "the signature is wrong");
    if (!isRecent(timestamp, this.tolerance)) return rejectBadRequest(this.http, "the timestamp is too far from now");
    const { body } = event;
    if (typeof body?.id !== "string" || typeof body.type !== "string") {
      return rejectBadRequest(this.http, "this is not an event of Stripe");
    }
    if (isSelected(body.type, this.types)) {
      const subject = body.data?.object?.id;
      const ts = Number.isFinite(body.created) ? body.created * 1000 : undefined;
      this.$emit(body, { id: body.id, summary: subject ? `${body.type} ${subject}` : body.type, ts });
    }
    return this.http.respond({ status: 200, body: { received: true } });
  },
};

// `t=1736933400,v1=5257a8…,v1=f30bc1…,v0=…`: while a secret is being replaced there are several signatures.
function parseHeader(text) {
  const pairs = String(text ?? "")
    .split(",")
    .map((pair) => pair.trim().split("="));
  const values = (name) => pairs.filter(([key]) => key === name).map(([, value]) => value ?? "");
  return { timestamp: values("t")[0], signatures: values("v1") };
}
