import { ConfigurationError } from "./errors.mjs";

/** The content of a request and its type; no content for an empty body. */
export function contentOf(body, format) {
  if (body === undefined || body === null || body === "") return {};
  switch (format) {
    case "form":
      return { content: form(body), type: "application/x-www-form-urlencoded" };
    case "text":
      return { content: typeof body === "string" ? body : JSON.stringify(body), type: "text/plain; charset=utf-8" };
    default:
      return { content: json(body), type: "application/json" };
  }
}

// A text that is JSON is sent as it is.
function json(body) {
  if (typeof body !== "string") return JSON.stringify(body);
  try {
    JSON.parse(body);
    return body;
  } catch {
    return JSON.stringify(body);
  }
}

function form(body) {
  if (typeof body === "string") return body;
  if (typeof body !== "object") throw new ConfigurationError("The body of a form must be an object");
  const fields = Object.entries(body).flatMap(([name, value]) => [value].flat().map((one) => [name, text(one)]));
  return new URLSearchParams(fields).toString();
}

function text(value) {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
}
