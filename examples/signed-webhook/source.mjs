import { createHmac, timingSafeEqual } from "node:crypto";

// Emits each genuine delivery of a provider once. The signature has the form that GitHub and many others use.
export default {
  name: "Signed webhook",
  version: "0.1.0",
  dedupe: "unique",
  props: {
    http: { type: "$.interface.http", customResponse: true },
    secret: { type: "string", label: "Secret", description: "The secret of the webhook at the provider", secret: true },
  },
  methods: {
    isGenuine({ headers, bodyRaw, isBase64 }) {
      const body = Buffer.from(bodyRaw, isBase64 ? "base64" : "utf8");
      const expected = Buffer.from(`sha256=${createHmac("sha256", this.secret).update(body).digest("hex")}`);
      const given = Buffer.from(String(headers["x-hub-signature-256"]));
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  },
  run(event) {
    if (!this.isGenuine(event)) return this.http.respond({ status: 401, body: { error: "wrong signature" } });
    const id = event.headers["x-github-delivery"];
    // A provider that misses the response sends the delivery again, with the same id.
    if (!id) return this.http.respond({ status: 400, body: { error: "the delivery has no id" } });
    this.$emit(event.body, { id, summary: event.headers["x-github-event"] });
    return this.http.respond({ status: 200, body: { received: id } });
  },
};
