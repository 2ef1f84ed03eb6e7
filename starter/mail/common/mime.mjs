// Reads mails in their original form (MIME).

import { decode } from "../../common/download.mjs";

const MAX_DEPTH = 10;
const MAX_PARTS = 200;

/** `{headers, text, html, attachments}` of a mail. `bytes` is a Buffer. Headers have lower-case names and decoded values. */
export function parseMime(bytes) {
  // Each character is one byte, so that parts can be cut out and decoded on their own.
  const mail = { headers: {}, text: undefined, html: undefined, attachments: [] };
  const { headers, body } = splitHeaders(bytes.toString("latin1"));
  mail.headers = headers;
  collect({ headers, body }, mail, { parts: 0 }, 0);
  return mail;
}

/** Headers of a mail, from a text with one on each line. */
export function parseHeaders(text) {
  const headers = {};
  for (const line of text.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = decodeWords(utf8(line.slice(colon + 1).trim()));
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

function collect({ headers, body }, mail, count, depth) {
  const { type, parameters } = parseValue(headers["content-type"] ?? "text/plain");
  if (type.startsWith("multipart/") && parameters.boundary && depth < MAX_DEPTH) {
    for (const part of splitParts(body, parameters.boundary)) {
      count.parts += 1;
      if (count.parts > MAX_PARTS) return;
      collect(splitHeaders(part), mail, count, depth + 1);
    }
    return;
  }
  const disposition = parseValue(headers["content-disposition"] ?? "");
  const filename = disposition.parameters.filename ?? parameters.name;
  const content = decodeContent(body, headers["content-transfer-encoding"]);
  const isText = disposition.type !== "attachment" && filename === undefined;
  if (isText && type === "text/plain" && mail.text === undefined) mail.text = decode(content, parameters.charset);
  else if (isText && type === "text/html" && mail.html === undefined) mail.html = decode(content, parameters.charset);
  else mail.attachments.push({ filename: filename ?? null, content_type: type, content });
}

function splitHeaders(text) {
  const separator = /\r?\n\r?\n/.exec(text);
  if (separator === null) return { headers: parseHeaders(text), body: "" };
  return {
    headers: parseHeaders(text.slice(0, separator.index)),
    body: text.slice(separator.index + separator[0].length),
  };
}

function splitParts(body, boundary) {
  const sections = `\n${body}`.split(`\n--${boundary}`);
  const parts = [];
  for (const section of sections.slice(1)) {
    if (section.startsWith("--")) break;
    parts.push(section.replace(/^[^\n]*\n/, "").replace(/\r$/, ""));
  }
  return parts;
}

// `text/plain; charset="utf-8"; name*=UTF-8''a%20b.txt`
function parseValue(text) {
  const [type, ...rest] = text.split(";");
  const parameters = {};
  for (const pair of rest) {
    const equals = pair.indexOf("=");
    if (equals < 0) continue;
    const name = pair.slice(0, equals).trim().toLowerCase();
    const value = pair
      .slice(equals + 1)
      .trim()
      .replace(/^"(.*)"$/s, "$1");
    if (name.endsWith("*")) parameters[name.slice(0, -1)] = decodeExtended(value);
    else parameters[name] ??= value;
  }
  return { type: type.trim().toLowerCase(), parameters };
}

function decodeExtended(value) {
  const [, charset, , encoded] = /^([^']*)'([^']*)'(.*)$/s.exec(value) ?? [null, "utf-8", "", value];
  return decode(percentBytes(encoded), charset || "utf-8");
}

function percentBytes(text) {
  return latin1(text.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))));
}

function decodeContent(body, encoding) {
  switch (encoding?.trim().toLowerCase()) {
    case "base64":
      return Buffer.from(body, "base64");
    case "quoted-printable":
      return quotedPrintable(
        body
          .replace(/[ \t]*\r?\n/g, "\n")
          .replace(/=\n/g, "")
          .replace(/\n/g, "\r\n"),
      );
    default:
      return latin1(body);
  }
}

// `=?utf-8?B?…?=` and `=?utf-8?Q?…?=`. Space between two encoded words is not part of the text.
function decodeWords(text) {
  return text
    .replace(/(\?=)\s+(?==\?)/g, "$1")
    .replace(/=\?([\w-]+)(?:\*[\w-]+)?\?([BbQq])\?([^?\s]*)\?=/g, (_, charset, kind, content) => {
      const isBase64 = kind.toUpperCase() === "B";
      return decode(isBase64 ? Buffer.from(content, "base64") : quotedPrintable(content.replaceAll("_", " ")), charset);
    });
}

function quotedPrintable(text) {
  return latin1(text.replace(/=([\dA-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))));
}

function utf8(text) {
  return decode(latin1(text));
}

// Text beyond Latin-1 was decoded before, and stays as it is.
function latin1(text) {
  return Buffer.from(text, [...text].some((char) => char > "\u00ff") ? "utf8" : "latin1");
}
