import { isSelected } from "../../../common/name_filter.mjs";
import { refuse, rejectBadRequest } from "../../../common/refusals.mjs";
import { hmac, isSame, rawBody } from "../../../common/signatures.mjs";
import { timestamp } from "../../../common/times.mjs";

export default {
  key: "shopify-webhook",
  name: "Shopify webhook",
  description:
    "Emits the events that Shopify sends to a webhook of a shop or an app. Signatures are checked, and each event is emitted once.",
  version: "1.0.0",
  type: "source",
  dedupe: "unique",
  props: {
    http: { type: "$.interface.http", customResponse: true },
    secret: {
      type: "string",
      label: "Secret",
      description: "The client secret of the app, or the secret on the page of notifications of the shop.",
      secret: true,
    },
    topics: {
      type: "string[]",
      label: "Topics",
      description: "Topics to emit, such as `orders/create` or `products/*`. Leave empty to emit all topics.",
      optional: true,
    },
  },
  async run(event) {
    const headers = event.headers ?? {};
    const expected = hmac(this.secret, "base64", rawBody(event));
    if (!isSame(headers["x-shopify-hmac-sha256"] ?? "", expected)) {
      return refuse(this.http, "the signature is missing or wrong");
    }
    const topic = headers["x-shopify-topic"];
    const id = headers["x-shopify-event-id"] ?? headers["x-shopify-webhook-id"];
    if (!topic || !id) return rejectBadRequest(this.http, "this is not an event of Shopify");
    if (isSelected(topic, this.topics)) {
      const shop = headers["x-shopify-shop-domain"] ?? null;
      const triggeredAt = headers["x-shopify-triggered-at"] ?? null;
      const subject = event.body?.name ?? event.body?.title ?? event.body?.id;
      const emitted = { topic, shop, event_id: id, triggered_at: triggeredAt, payload: event.body };
      // One event has a webhook for each topic that it belongs to.
      const metadata = { id: `${id} ${topic}`, summary: [topic, subject].filter(Boolean).join(" ") };
      this.$emit(emitted, { ...metadata, ts: timestamp(triggeredAt) });
    }
    return this.http.respond({ status: 200 });
  },
};
