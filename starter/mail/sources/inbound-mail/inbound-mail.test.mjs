import assert from "node:assert/strict";
import test from "node:test";
import { run } from "sluice/test";
import { hmac } from "../../../common/signatures.mjs";
import { formRequest, jsonRequest } from "../../../testing/requests.mjs";
import component from "./inbound-mail.mjs";
import sample from "./test-event.mjs";

const PROPS = { secret: "s3cret word" };
const PATH = "/s3cret%20word";
const POSTMARK = {
  FromFull: { Email: "ada@example.com", Name: "Ada" },
  ToFull: [{ Email: "orders@example.com", Name: "" }],
  Subject: "Order 42",
  Date: "Wed, 15 Jan 2025 10:30:00 +0100",
  MessageID: "42@example.com",
  TextBody: "Two things, please.",
  HtmlBody: "<p>Two things, please.</p>",
  Headers: [],
  Attachments: [{ Name: "note.txt", ContentType: "text/plain", Content: "aGVsbG8=" }],
};
const MIME = [
  "From: =?utf-8?Q?J=C3=BCrgen?= <j@example.com>",
  'To: "Doe, Jane" <jane@example.com>, bob@example.com',
  "Subject: =?UTF-8?B?R3LDvMOfZQ==?= =?UTF-8?Q?_aus?=",
  " Bonn",
  "Date: Wed, 15 Jan 2025 10:30:00 +0100",
  "Message-ID: <1@example.com>",
  'Content-Type: multipart/mixed; boundary="outer"',
  "",
  "preamble",
  "--outer",
  "Content-Type: multipart/alternative; boundary=inner",
  "",
  "--inner",
  "Content-Type: text/plain; charset=iso-8859-1",
  "Content-Transfer-Encoding: quoted-printable",
  "",
  "Gr=FCn und=",
  " blau",
  "--inner",
  "Content-Type: text/html; charset=utf-8",
  "Content-Transfer-Encoding: base64",
  "",
  Buffer.from("<b>Grün</b>").toString("base64"),
  "--inner--",
  "--outer",
  "Content-Type: application/pdf; name=x.pdf",
  "Content-Disposition: attachment; filename*=utf-8''b%C3%A9.pdf",
  "Content-Transfer-Encoding: base64",
  "",
  Buffer.from("PDF").toString("base64"),
  "--outer--",
].join("\r\n");

const receive = (event, props = PROPS) => run(component, { props, event });
const rawRequest = (text, path = PATH) => ({
  method: "POST",
  path,
  query: {},
  headers: { "content-type": "message/rfc822" },
  bodyRaw: text,
  body: text,
});

test("mails of Postmark", async () => {
  const { emits, response, error } = await receive(jsonRequest(POSTMARK, {}, PATH));
  assert.equal(error, undefined);
  assert.equal(response.status, 200);
  assert.equal(emits[0].summary, "Ada: Order 42");
  const { headers, ...expected } = sample;
  const { headers: given, ...event } = emits[0].event;
  assert.deepEqual(event, expected);
  assert.equal(given["message-id"], headers["message-id"]);
});

test("original mails", async () => {
  const { emits } = await receive(rawRequest(MIME));
  const [{ event }] = emits;
  assert.deepEqual(event.from, { name: "Jürgen", address: "j@example.com" });
  assert.deepEqual(event.to, [
    { name: "Doe, Jane", address: "jane@example.com" },
    { name: "", address: "bob@example.com" },
  ]);
  assert.equal(event.subject, "Grüße aus Bonn");
  assert.equal(event.date, "2025-01-15T09:30:00.000Z");
  assert.equal(event.text, "Grün und blau");
  assert.equal(event.html, "<b>Grün</b>");
  assert.deepEqual(event.attachments, [
    { filename: "bé.pdf", content_type: "application/pdf", size: 3, content: Buffer.from("PDF").toString("base64") },
  ]);
});

test("mails in 8 bits arrive as bytes", async () => {
  const bytes = Buffer.from(
    "From: a@example.com\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\nGrün",
    "latin1",
  );
  const bodyRaw = bytes.toString("base64");
  const { emits } = await receive({ ...rawRequest(bodyRaw), isBase64: true });
  assert.equal(emits[0].event.text, "Grün");
});

test("mails of SendGrid", async () => {
  const fields = {
    headers: "Message-ID: <2@example.com>\nDate: Wed, 15 Jan 2025 10:30:00 +0100\n",
    envelope: '{"to":["in@example.com"],"from":"ada@example.com"}',
    from: "Ada <ada@example.com>",
    to: "in@example.com",
    subject: "Hi",
    text: "Hello",
    attachments: "1",
    attachment1: { url: "https://example.com/u/1", filename: "a.txt", mimetype: "text/plain" },
  };
  const { emits } = await receive({ ...formRequest({}, {}, PATH), body: fields });
  const [{ event }] = emits;
  assert.deepEqual([event.provider, event.message_id, event.text], ["sendgrid", "<2@example.com>", "Hello"]);
  assert.deepEqual(event.attachments, [
    { filename: "a.txt", content_type: "text/plain", url: "https://example.com/u/1" },
  ]);
  const { envelope } = fields;
  const raw = await receive({ ...formRequest({}, {}, PATH), body: { envelope, email: MIME } });
  assert.equal(raw.emits[0].event.subject, "Grüße aus Bonn");
});

test("mails of Mailgun are signed", async () => {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const fields = {
    timestamp,
    token: "abc",
    signature: hmac("key-1", "hex", timestamp, "abc"),
    recipient: "in@example.com",
    from: "Ada <ada@example.com>",
    subject: "Hi",
    "body-plain": "Hello",
    "message-headers": '[["Message-Id","<3@example.com>"],["To","in@example.com"]]',
  };
  const props = { mailgunKey: "key-1" };
  const { emits } = await receive(formRequest(fields), props);
  assert.deepEqual([emits[0].event.provider, emits[0].event.message_id], ["mailgun", "<3@example.com>"]);
  const old = { ...fields, timestamp: "1700000000", signature: hmac("key-1", "hex", "1700000000", "abc") };
  for (const forged of [{ ...fields, signature: "x" }, { ...fields, token: "other" }, old]) {
    const { response, emits } = await receive(formRequest(forged), props);
    assert.deepEqual([response.status, emits.length], [401, 0]);
  }
});

test("mails in plain JSON", async () => {
  const { emits } = await receive(
    jsonRequest({ from: "a@example.com", to: ["b@example.com"], subject: "Hi", text: "x" }, {}, PATH),
  );
  assert.deepEqual(emits[0].event.to, [{ name: "", address: "b@example.com" }]);
});

test("the secret can be in the path, a header or a password", async () => {
  const basic = `Basic ${Buffer.from("any:s3cret word").toString("base64")}`;
  for (const event of [
    jsonRequest(POSTMARK, {}, PATH),
    jsonRequest(POSTMARK, { "x-webhook-secret": "s3cret word" }),
    jsonRequest(POSTMARK, { authorization: basic }),
  ]) {
    assert.equal((await receive(event)).response.status, 200);
  }
  for (const event of [
    jsonRequest(POSTMARK),
    jsonRequest(POSTMARK, {}, "/wrong"),
    jsonRequest(POSTMARK, {}, "/%E0%A4%A"),
  ]) {
    const { response, emits } = await receive(event);
    assert.deepEqual([response.status, emits.length], [401, 0]);
  }
  const { error } = await receive(jsonRequest(POSTMARK), {});
  assert.equal(error.name, "ConfigurationError");
});

test("other requests are refused", async () => {
  for (const event of [
    jsonRequest({ hello: "world" }, {}, PATH),
    jsonRequest("null", {}, PATH),
    rawRequest("no mail"),
  ]) {
    const { response, emits } = await receive(event);
    assert.deepEqual([response.status, emits.length], [400, 0]);
  }
});

test("attachments are limited", async () => {
  const none = await receive(jsonRequest(POSTMARK, {}, PATH), { ...PROPS, attachments: false });
  assert.deepEqual(none.emits[0].event.attachments, [{ filename: "note.txt", content_type: "text/plain", size: 5 }]);
  const large = { Name: "x", ContentType: "text/plain", Content: Buffer.alloc(300_000).toString("base64") };
  const two = await receive(jsonRequest({ ...POSTMARK, Attachments: [large, large] }, {}, PATH));
  const contents = two.emits[0].event.attachments.map(({ content }) => content !== undefined);
  assert.deepEqual(contents, [true, false]);
});

test("hostile mails end soon", async () => {
  const nested = Array.from(
    { length: 100 },
    (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
  ).join("");
  const parts = `From: a@example.com\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n\r\nx\r\n".repeat(10_000)}`;
  const started = Date.now();
  for (const text of [
    `From: a@example.com\r\n${nested}`,
    parts,
    `From: ${'"'.repeat(100_000)}<`,
    `From: ${"=?a?Q?".repeat(50_000)}`,
  ]) {
    assert.equal((await receive(rawRequest(text))).error, undefined);
  }
  assert.ok(Date.now() - started < 10_000);
});
