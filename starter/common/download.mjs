// HTTP requests with limits on time, size and redirects.

import { isWebAddress } from "./urls.mjs";

const USER_AGENT = "Sluice";
const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
/** Headers that are not sent to another origin. */
const CREDENTIALS = ["authorization", "cookie", "proxy-authorization"];

export const MEBIBYTE = 1024 * 1024;

/**
 * Sends a request and reads at most `maxBytes` of the response, within `timeoutMs`. `maxRedirects: 0` returns redirects as they
 * are. `privateHeaders` are names of further headers that stay with the first origin.
 *
 * Returns `{status, headers, url, bytes}`.
 */
export async function download(
  url,
  {
    method = "GET",
    headers = {},
    body,
    timeoutMs = 20_000,
    maxBytes = 10 * MEBIBYTE,
    maxRedirects = MAX_REDIRECTS,
    privateHeaders = [],
  } = {},
) {
  const signal = AbortSignal.timeout(timeoutMs);
  let request = { url: new URL(url), method, headers: withUserAgent(headers), body };
  try {
    for (let redirects = 0; ; redirects += 1) {
      const response = await fetch(request.url, {
        method: request.method,
        headers: request.headers,
        body: request.body,
        redirect: "manual",
        signal,
      });
      const target = maxRedirects > 0 ? redirectTarget(response, request.url) : undefined;
      if (target === undefined) {
        const bytes = await readLimited(response, maxBytes, request.url);
        return { status: response.status, headers: response.headers, url: request.url.href, bytes };
      }
      await response.body?.cancel();
      if (redirects >= maxRedirects) throw new Error(`${origin(url)} redirects more than ${maxRedirects} times`);
      request = redirected(request, target, response.status, privateHeaders);
    }
  } catch (error) {
    if (error?.name === "TimeoutError") {
      throw new Error(`${origin(url)} did not respond within ${timeoutMs / 1000} s`);
    }
    throw error;
  }
}

/** The text of a response, in the encoding that it declares. */
export function textOf({ bytes, headers }) {
  return decode(bytes, declaredCharset(headers.get("content-type")) ?? charsetInDocument(bytes));
}

/** Decodes bytes. An unknown encoding counts as UTF-8. */
export function decode(bytes, charset = "utf-8") {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** Throws for an unsuccessful response, with the beginning of its body. */
export function requireSuccess(response) {
  const { status, url } = response;
  if (status >= 200 && status < 300) return response;
  const start = textOf(response).trim().slice(0, 200);
  throw new Error(`${origin(url)} responded ${status}${start && `: ${start}`}`);
}

async function readLimited(response, maxBytes, url) {
  const chunks = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new RangeError(`The response of ${origin(url)} is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function redirectTarget(response, from) {
  if (!REDIRECTS.includes(response.status)) return undefined;
  const location = response.headers.get("location");
  if (location === null) return undefined;
  const target = URL.parse(location, from);
  if (!isWebAddress(target)) throw new Error(`${origin(from)} redirects to an address that is not on the web`);
  return target;
}

function redirected({ url, method, headers, body }, target, status, privateHeaders) {
  const kept = new Headers(headers);
  if (target.origin !== url.origin) {
    for (const name of [...CREDENTIALS, ...privateHeaders]) kept.delete(name);
  }
  const becomesGet = status === 303 || ((status === 301 || status === 302) && method === "POST");
  if (!becomesGet || method === "HEAD") return { url: target, method, headers: kept, body };
  kept.delete("content-type");
  return { url: target, method: "GET", headers: kept, body: undefined };
}

function withUserAgent(headers) {
  const sent = new Headers();
  for (const [name, value] of headers instanceof Headers ? headers : Object.entries(headers)) {
    if (value !== undefined && value !== null) sent.set(name, String(value));
  }
  if (!sent.has("user-agent")) sent.set("user-agent", USER_AGENT);
  return sent;
}

function declaredCharset(contentType) {
  return /;\s*charset\s*=\s*"?([\w:.-]+)/i.exec(contentType ?? "")?.[1];
}

// `<?xml … encoding="…"?>` and `<meta charset="…">` are in ASCII, at the beginning.
function charsetInDocument(bytes) {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 1024));
  return /<\?xml[^>]{0,200}\bencoding\s*=\s*["']([\w:.-]+)|<meta[^>]{0,200}\bcharset\s*=\s*["']?([\w:.-]+)/i
    .exec(start)
    ?.slice(1)
    .find(Boolean);
}

function origin(url) {
  return new URL(url).origin;
}
