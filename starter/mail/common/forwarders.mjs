// Mails as the services that receive them forward them. All become one form.

import { rawBody } from "../../common/signatures.mjs";
import { parseAddress, parseAddresses } from "./addresses.mjs";
import { parseHeaders, parseMime } from "./mime.mjs";

/** The mail in a request, or undefined if there is none. */
export function mailIn(event) {
  const { body } = event;
  if (typeof body === "string") return body.trim() === "" ? undefined : ofMime("mime", rawBody(event));
  if (body === null || typeof body !== "object") return undefined;
  const reader = FORMATS.find(({ matches }) => matches(body));
  return reader?.read(body);
}

const FORMATS = [
  { matches: (body) => "FromFull" in body && "MessageID" in body, read: ofPostmark },
  { matches: (body) => "body-mime" in body, read: (body) => ofMime("mailgun", Buffer.from(body["body-mime"])) },
  { matches: (body) => "body-plain" in body || "stripped-text" in body, read: ofMailgun },
  {
    matches: (body) => "envelope" in body && "email" in body,
    read: (body) => ofMime("sendgrid", Buffer.from(body.email)),
  },
  { matches: (body) => "envelope" in body && "from" in body, read: ofSendGrid },
  { matches: (body) => typeof body.raw === "string", read: (body) => ofMime("mime", Buffer.from(body.raw)) },
  { matches: (body) => "from" in body && ("subject" in body || "text" in body || "html" in body), read: ofJson },
];

function ofMime(provider, bytes) {
  const { headers, text, html, attachments } = parseMime(bytes);
  if (headers.from === undefined) return undefined;
  return mail({
    provider,
    headers,
    from: parseAddress(headers.from),
    to: parseAddresses(headers.to),
    text,
    html,
    attachments: attachments.map(({ content, ...attachment }) => inline(attachment, content)),
  });
}

function ofPostmark(body) {
  const headers = Object.fromEntries((body.Headers ?? []).map(({ Name, Value }) => [Name.toLowerCase(), Value]));
  const address = ({ Name, Email }) => ({ name: Name ?? "", address: Email });
  return mail({
    provider: "postmark",
    headers: { "message-id": `<${body.MessageID}>`, date: body.Date, subject: body.Subject, ...headers },
    from: address(body.FromFull),
    to: (body.ToFull ?? []).map(address),
    cc: (body.CcFull ?? []).map(address),
    text: body.TextBody,
    html: body.HtmlBody,
    attachments: (body.Attachments ?? []).map(({ Name, ContentType, Content }) =>
      inline({ filename: Name, content_type: ContentType }, Buffer.from(Content ?? "", "base64")),
    ),
  });
}

function ofMailgun(body) {
  const pairs = parsed(body["message-headers"], []);
  const headers = Object.fromEntries(pairs.map(([name, value]) => [String(name).toLowerCase(), value]));
  return mail({
    provider: "mailgun",
    headers: { subject: body.subject, from: body.from, ...headers },
    from: parseAddress(body.from ?? body.sender),
    to: parseAddresses(headers.to ?? body.To ?? body.recipient),
    text: body["body-plain"],
    html: body["body-html"],
    attachments: uploads(body, /^attachment-\d+$/),
  });
}

function ofSendGrid(body) {
  const headers = parseHeaders(body.headers ?? "");
  return mail({
    provider: "sendgrid",
    headers: { subject: body.subject, ...headers },
    from: parseAddress(body.from),
    to: parseAddresses(body.to),
    cc: parseAddresses(body.cc),
    text: body.text,
    html: body.html,
    attachments: uploads(body, /^attachment\d+$/),
  });
}

function ofJson(body) {
  const addresses = (value) => (Array.isArray(value) ? value.flatMap(parseAddresses) : parseAddresses(value));
  const names = Object.entries(body.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return mail({
    provider: "json",
    headers: {
      subject: body.subject,
      date: body.date,
      "message-id": body.message_id ?? body.messageId,
      ...Object.fromEntries(names),
    },
    from: parseAddress(body.from),
    to: addresses(body.to),
    cc: addresses(body.cc),
    text: body.text,
    html: body.html,
    attachments: Array.isArray(body.attachments) ? body.attachments : [],
  });
}

function mail({ provider, headers, from, to, cc, text, html, attachments }) {
  return {
    provider,
    from,
    to,
    cc: cc ?? parseAddresses(headers.cc),
    reply_to: parseAddresses(headers["reply-to"]),
    subject: headers.subject ?? "",
    date: isoDate(headers.date),
    message_id: headers["message-id"] ?? null,
    in_reply_to: headers["in-reply-to"] ?? null,
    text: text ?? null,
    html: html ?? null,
    headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
    attachments,
  };
}

function inline(attachment, content) {
  return { ...attachment, size: content.length, content: content.toString("base64") };
}

// Files of a form are stored by the server, which gives their addresses.
function uploads(body, names) {
  return Object.entries(body)
    .filter(([name, file]) => names.test(name) && file !== null && typeof file === "object")
    .map(([, file]) => ({ filename: file.filename, content_type: file.mimetype, url: file.url }));
}

function parsed(text, fallback) {
  try {
    const value = JSON.parse(text);
    return Array.isArray(value) ? value : fallback;
  } catch {
    return fallback;
  }
}

function isoDate(text) {
  const date = new Date(text ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
