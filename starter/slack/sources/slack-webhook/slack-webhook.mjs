import { isSelected } from "../../../common/name_filter.mjs";
import { refuse, rejectBadRequest } from "../../../common/refusals.mjs";
import { hmac, isRecent, isSame, rawBody, toleranceProp } from "../../../common/signatures.mjs";

export default {
  key: "slack-webhook",
  name: "Slack webhook",
  description:
    "Emits what Slack sends to an app: events, slash commands and interactions. Signatures and timestamps are checked, and each event is emitted once. Use the endpoint of this source as the request URL of the app.",
  version: "1.0.0",
  type: "source",
  dedupe: "unique",
  props: {
    http: { type: "$.interface.http", customResponse: true },
    secret: {
      type: "string",
      label: "Signing secret",
      description: "The signing secret on the page of basic information of the app.",
      secret: true,
    },
    types: {
      type: "string[]",
      label: "Types",
      description:
        "Types to emit, such as `message`, `app_mention`, `slash_command` or `block_actions`. Leave empty to emit all types.",
      optional: true,
    },
    ignoreBots: {
      type: "boolean",
      label: "Ignore bots",
      description: "Do not emit messages of bots, so that an answer of your own app does not start anything.",
      default: true,
    },
    tolerance: toleranceProp,
  },
  async run(event) {
    const headers = event.headers ?? {};
    const timestamp = headers["x-slack-request-timestamp"] ?? "";
    const expected = `v0=${hmac(this.secret, "hex", `v0:${timestamp}:`, rawBody(event))}`;
    if (!isSame(headers["x-slack-signature"] ?? "", expected))
      return refuse(this.http, "the signature is missing or wrong");
    if (!isRecent(timestamp, this.tolerance)) return rejectBadRequest(this.http, "the timestamp is too far from now");
    const payload = payloadOf(event);
    if (payload === undefined) return rejectBadRequest(this.http, "this is not a request of Slack");
    if (payload.type === "url_verification") {
      return this.http.respond({ status: 200, body: { challenge: payload.challenge } });
    }
    const described = describe(payload, headers["x-slack-signature"]);
    const isBot = this.ignoreBots && payload.event?.bot_id !== undefined;
    if (!isBot && isSelected(described.type, this.types)) {
      const { id, type, summary } = described;
      this.$emit({ type, ...payload }, { id, summary });
    }
    return this.http.respond({ status: 200 });
  },
};

// Events are JSON, slash commands are forms, and interactions are forms with JSON in the field `payload`.
function payloadOf({ body }) {
  if (body === null || typeof body !== "object") return undefined;
  if (typeof body.payload !== "string") return body;
  try {
    return JSON.parse(body.payload);
  } catch {
    return undefined;
  }
}

// Commands and interactions have no id. A signature covers the time and the content.
function describe(payload, signature) {
  const { event } = payload;
  if (event !== undefined) {
    const summary = [event.type, event.user, event.text].filter(Boolean).join(" ");
    return { id: payload.event_id ?? signature.slice(0, 64), type: event.type, summary };
  }
  const id = signature.slice(0, 64);
  if (payload.command !== undefined) {
    return { id, type: "slash_command", summary: `${payload.command} ${payload.text ?? ""}`.trim() };
  }
  return { id, type: payload.type, summary: [payload.type, payload.user?.username].filter(Boolean).join(" ") };
}
