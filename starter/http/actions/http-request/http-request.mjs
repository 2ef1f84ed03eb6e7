import { download, MEBIBYTE, textOf } from "../../../common/download.mjs";
import { contentOf } from "../../../common/request_body.mjs";
import { webAddress } from "../../../common/urls.mjs";

const TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|javascript|x-www-form-urlencoded))/i;
const JSON_TYPE = /[/+]json\b/i;

export default {
  key: "http-request",
  name: "HTTP request",
  description:
    "Sends an HTTP request and returns the status, the headers and the body of the response. JSON is parsed.",
  version: "1.0.0",
  type: "action",
  props: {
    url: { type: "string", label: "URL" },
    method: {
      type: "string",
      label: "Method",
      options: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"],
      default: "GET",
    },
    query: { type: "object", label: "Query", description: "Parameters that are added to the address.", optional: true },
    headers: { type: "object", label: "Headers", optional: true },
    body: {
      type: "any",
      label: "Body",
      description: "A text, or a value that is sent in the format below.",
      optional: true,
    },
    format: {
      type: "string",
      label: "Format of the body",
      options: [
        { label: "JSON", value: "json" },
        { label: "Form", value: "form" },
        { label: "Text", value: "text" },
      ],
      default: "json",
      optional: true,
    },
    token: {
      type: "string",
      label: "Bearer token",
      description: "Sent in the header `Authorization`.",
      secret: true,
      optional: true,
    },
    username: { type: "string", label: "User name", description: "For basic authentication.", optional: true },
    password: { type: "string", label: "Password", secret: true, optional: true },
    acceptErrors: {
      type: "boolean",
      label: "Accept errors",
      description: "Return responses with a status of 400 and more, instead of failing.",
      default: false,
      optional: true,
    },
    followRedirects: { type: "boolean", label: "Follow redirects", default: true, optional: true },
    timeout: { type: "integer", label: "Time limit (seconds)", default: 20, min: 1, max: 300, optional: true },
    maxSize: {
      type: "integer",
      label: "Maximum size of the response (MiB)",
      default: 5,
      min: 1,
      max: 50,
      optional: true,
    },
  },
  async run({ $ }) {
    const url = webAddress(this.url, "URL");
    for (const [name, value] of Object.entries(this.query ?? {})) {
      for (const one of [value].flat()) url.searchParams.append(name, one ?? "");
    }
    const response = await download(url, this.request());
    const { status } = response;
    const answer = { status, headers: Object.fromEntries(response.headers), body: bodyOf(response), url: response.url };
    $.export("$summary", `${this.method} ${url.origin}${url.pathname} responded ${status}`);
    if (status < 400 || this.acceptErrors) return answer;
    const start = textOf(response).trim().slice(0, 200);
    const error = new Error(`${this.method} ${url.origin}${url.pathname} responded ${status}${start && `: ${start}`}`);
    throw Object.assign(error, { response: answer });
  },
  methods: {
    request() {
      const { content, type } = contentOf(this.body, this.format ?? "json");
      const hasBody = content !== undefined && !["GET", "HEAD"].includes(this.method);
      const headers = new Headers();
      for (const [name, value] of Object.entries(this.headers ?? {})) headers.set(name, String(value));
      if (hasBody && !headers.has("content-type")) headers.set("content-type", type);
      if (this.token) headers.set("authorization", `Bearer ${this.token}`);
      else if (this.username) headers.set("authorization", basic(this.username, this.password ?? ""));
      return {
        method: this.method,
        headers,
        body: hasBody ? content : undefined,
        timeoutMs: (this.timeout ?? 20) * 1000,
        maxBytes: (this.maxSize ?? 5) * MEBIBYTE,
        maxRedirects: this.followRedirects === false ? 0 : undefined,
        privateHeaders: Object.keys(this.headers ?? {}),
      };
    },
  },
};

function basic(username, password) {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

// Bytes that are no text are returned in base64.
function bodyOf(response) {
  if (response.bytes.length === 0) return null;
  const type = response.headers.get("content-type") ?? "text/plain";
  if (!TEXT.test(type)) return { base64: Buffer.from(response.bytes).toString("base64") };
  const text = textOf(response);
  if (!JSON_TYPE.test(type)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
