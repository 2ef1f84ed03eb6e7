// A configured HTTP request: its fields, and `execute()` that sends it.

import { isObject } from "./shape.mjs";
import { stringify } from "./wire.mjs";

const { fetch } = globalThis;
const WITHOUT_BODY = ["GET", "HEAD"];

export function httpRequest(configured) {
  const request = structuredClone(configured);
  // Not enumerable, so that copies and JSON only have the fields.
  Object.defineProperty(request, "execute", { value: () => execute(request) });
  return request;
}

/** The status, the headers and the parsed body of the response. An unsuccessful one is thrown as an error with `response`. */
async function execute({ url, method, headers, params, body, auth }) {
  const address = new URL(url);
  for (const [name, value] of pairs(params)) address.searchParams.append(name, text(value));
  const sent = new Headers();
  for (const [name, value] of pairs(headers)) sent.append(name, text(value));
  authorize(sent, auth);
  const init = { method, headers: sent };
  if (!WITHOUT_BODY.includes(method)) {
    const { content, type } = contentOf(body);
    init.body = content;
    if (type !== undefined && !sent.has("content-type")) sent.set("content-type", type);
  }
  const answer = await fetch(address, init);
  const { status, statusText } = answer;
  const response = { status, statusText, headers: Object.fromEntries(answer.headers), data: await parsed(answer) };
  if (answer.ok) return response;
  const error = new Error(`${method} ${address.origin}${address.pathname} answered ${status}`);
  error.response = response;
  throw error;
}

function authorize(headers, auth) {
  switch (auth?.type) {
    case "basic":
      headers.set("authorization", `Basic ${base64(`${auth.username ?? ""}:${auth.password ?? ""}`)}`);
      break;
    case "bearer":
      headers.set("authorization", `Bearer ${auth.token ?? ""}`);
      break;
  }
}

// A body is a text, or an object with `raw` text, or one with `fields`, which become JSON or a form by the content type. Any
// other object is JSON.
function contentOf(body) {
  if (body === undefined || body === null || body === "") return {};
  if (typeof body === "string") return { content: body, type: isJson(body) ? "application/json" : "text/plain" };
  const type = isObject(body) && typeof body.contentType === "string" ? body.contentType : undefined;
  const mode = body.mode ?? body.type;
  if (mode === "raw" || (mode === undefined && typeof body.raw === "string")) {
    return body.raw ? { content: text(body.raw), type: type ?? contentOf(text(body.raw)).type } : {};
  }
  if (mode === "fields" || (mode === undefined && type !== undefined)) return fieldsAs(type, pairs(body.fields));
  return { content: stringify(body), type: "application/json" };
}

function fieldsAs(type, fields) {
  if (fields.length === 0) return {};
  if (type === "application/x-www-form-urlencoded") {
    return { content: new URLSearchParams(fields.map(([name, value]) => [name, text(value)])).toString(), type };
  }
  if (type === "multipart/form-data") {
    const form = new FormData();
    for (const [name, value] of fields) form.append(name, text(value));
    // `fetch` sets the type with its boundary.
    return { content: form };
  }
  return { content: stringify(Object.fromEntries(fields)), type: type ?? "application/json" };
}

/** Pairs of names and values, from a list or an object. Rows without a name are left out. */
function pairs(given) {
  if (!Array.isArray(given)) return Object.entries(given ?? {});
  return given.filter((row) => row?.name).map(({ name, value }) => [name, value ?? ""]);
}

async function parsed(answer) {
  const body = await answer.text();
  if (body === "") return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function isJson(body) {
  try {
    return isObject(JSON.parse(body));
  } catch {
    return false;
  }
}

function text(value) {
  return typeof value === "string" ? value : (stringify(value) ?? "");
}

function base64(string) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(string)));
}
