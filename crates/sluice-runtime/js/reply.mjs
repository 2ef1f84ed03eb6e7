// A response to an HTTP request, in the format of the supervisor.

import { stringify } from "./wire.mjs";

const encoder = new TextEncoder();

/** The fields of a message, as JSON without its braces. Throws if it is not a valid response. */
export function replyFields(reply) {
  const { status, statusCode, headers, body } = reply ?? {};
  const code = Number(status ?? statusCode);
  if (!Number.isInteger(code) || code < 100 || code > 599) {
    throw new TypeError(`respond needs a status from 100 to 599, not ${status ?? statusCode}`);
  }
  const rows = headerRows(headers);
  const fields = [`"s":${code}`];
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) {
    fields.push(`"x":"${toBase64(body)}"`);
  } else if (typeof body === "string") {
    fields.push(`"b":${stringify(body.toWellFormed())}`);
  } else if (body !== undefined && body !== null) {
    fields.push(`"b":${stringify(stringify(body) ?? "")}`);
    if (!rows.some(([name]) => name.toLowerCase() === "content-type")) {
      rows.push(["content-type", "application/json; charset=utf-8"]);
    }
  }
  fields.push(`"h":${stringify(rows)}`);
  return fields.join(",");
}

export function isStream(body) {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/** A response whose body is a stream, read to its end. */
export async function gathered(reply) {
  if (reply.immediate) throw new TypeError("a stream cannot be an immediate answer");
  const chunks = [];
  for await (const chunk of reply.body) chunks.push(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
  return { ...reply, body: new Uint8Array(await new Blob(chunks).arrayBuffer()) };
}

function headerRows(headers) {
  const rows = [];
  const entries = headers instanceof Headers ? headers : Object.entries(headers ?? {});
  for (const [name, value] of entries) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) ? value : [value])
      rows.push([String(name).toWellFormed(), String(one).toWellFormed()]);
  }
  return rows;
}

function toBase64(body) {
  const bytes = body instanceof ArrayBuffer ? new Uint8Array(body) : body;
  return typeof bytes.toBase64 === "function"
    ? Uint8Array.prototype.toBase64.call(bytes)
    : btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
