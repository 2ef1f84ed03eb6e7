import { isSelected } from "../../../common/name_filter.mjs";
import { refuse, rejectBadRequest } from "../../../common/refusals.mjs";
import { hmac, isSame, rawBody } from "../../../common/signatures.mjs";

export default {
  key: "github-webhook",
  name: "GitHub webhook",
  description:
    "Emits the events that GitHub sends to a webhook of a repository or an organization. Signatures are checked. Each delivery is emitted once, also if it is sent again.",
  version: "1.0.0",
  type: "source",
  dedupe: "unique",
  props: {
    http: { type: "$.interface.http", customResponse: true },
    secret: {
      type: "string",
      label: "Secret",
      description: "The secret of the webhook. Create the webhook with the endpoint of this source as its payload URL.",
      secret: true,
    },
    events: {
      type: "string[]",
      label: "Events",
      description: "Events to emit, such as `issues` or `pull_request_*`. Leave empty to emit all events.",
      optional: true,
    },
  },
  async run(event) {
    const headers = event.headers ?? {};
    const expected = `sha256=${hmac(this.secret, "hex", rawBody(event))}`;
    if (!isSame(headers["x-hub-signature-256"] ?? "", expected))
      return refuse(this.http, "the signature is missing or wrong");
    const name = headers["x-github-event"];
    const delivery = headers["x-github-delivery"];
    const payload = payloadOf(event);
    if (!name || !delivery || payload === undefined)
      return rejectBadRequest(this.http, "this is not an event of GitHub");
    if (name === "ping") return this.http.respond({ status: 200, body: { message: "pong" } });
    if (isSelected(name, this.events)) {
      const { action, repository, organization, sender } = payload;
      const emitted = {
        event: name,
        action: action ?? null,
        delivery,
        repository: repository?.full_name ?? null,
        organization: organization?.login ?? null,
        sender: sender?.login ?? null,
        payload,
      };
      this.$emit(emitted, { id: delivery, summary: summaryOf(emitted) });
    }
    return this.http.respond({ status: 202, body: { accepted: true } });
  },
};

// GitHub sends JSON, or a form with JSON in the field `payload`.
function payloadOf({ body }) {
  const payload = typeof body?.payload === "string" ? parsed(body.payload) : body;
  return payload !== null && typeof payload === "object" ? payload : undefined;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function summaryOf({ event, action, repository, organization, payload }) {
  const subject = payload.issue ?? payload.pull_request ?? payload.discussion ?? payload.release;
  const number = subject?.number === undefined ? undefined : `#${subject.number}`;
  const title = subject?.title ?? subject?.name ?? payload.head_commit?.message?.split("\n")[0];
  return [event, action, repository ?? organization, number, title].filter(Boolean).join(" ");
}
