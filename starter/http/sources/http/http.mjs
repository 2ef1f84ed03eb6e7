import { refuse } from "../../../common/refusals.mjs";
import { isSame } from "../../../common/signatures.mjs";

const BEARER = /^Bearer\s+(.+)$/i;

export default {
  key: "http",
  name: "HTTP requests",
  description:
    "Emits each request to its endpoint, with method, path, query, headers and body. The response can be configured, and requests can be required to carry a token.",
  version: "1.0.0",
  type: "source",
  props: {
    http: { type: "$.interface.http", customResponse: true },
    bodyOnly: {
      type: "boolean",
      label: "Emit the body only",
      description: "Emit the body of a request instead of the whole request.",
      default: false,
    },
    allowedMethods: {
      type: "string[]",
      label: "Methods",
      description: "Methods that are accepted; others are answered with 405. Leave empty to accept all methods.",
      options: ["GET", "POST", "PUT", "PATCH", "DELETE"],
      optional: true,
    },
    token: {
      type: "string",
      label: "Token",
      description:
        "Requests must have this token in the header `Authorization: Bearer <token>` or `X-Token: <token>`; others are answered with 401. Leave empty to accept every request.",
      secret: true,
      optional: true,
    },
    status: {
      type: "integer",
      label: "Status of the response",
      default: 200,
      min: 200,
      max: 599,
    },
    contentType: {
      type: "string",
      label: "Content type of the response",
      default: "application/json",
    },
    responseBody: {
      type: "string",
      label: "Body of the response",
      default: '{"success":true}',
      optional: true,
    },
  },
  async run(event) {
    if (event.method === undefined) {
      this.$emit(event, { summary: "Manual run" });
      return;
    }
    if (!isAccepted(event.method, this.allowedMethods)) {
      const allow = this.allowedMethods.join(", ");
      await this.http.respond({ status: 405, headers: { allow }, body: { error: `use ${allow}` } });
      return;
    }
    if (this.token && !isSame(tokenOf(event.headers), this.token)) {
      await refuse(this.http, "the token is missing or wrong");
      return;
    }
    this.$emit(this.bodyOnly ? (event.body ?? null) : withoutToken(event, this.token), {
      summary: `${event.method} ${event.path}`,
    });
    await this.http.respond({
      status: this.status,
      headers: { "content-type": this.contentType },
      body: this.status === 204 ? undefined : (this.responseBody ?? ""),
    });
  },
};

function isAccepted(method, allowed) {
  return !allowed?.length || allowed.includes(method);
}

function tokenOf(headers) {
  return headers["x-token"] ?? BEARER.exec(headers.authorization ?? "")?.[1] ?? "";
}

// Events are stored as they are, and a token is a secret.
function withoutToken(event, token) {
  if (!token) return event;
  const headers = { ...event.headers };
  for (const name of ["x-token", "authorization"]) {
    if (name in headers) headers[name] = "********";
  }
  return { ...event, headers };
}
