import assert from "node:assert/strict";
import test from "node:test";
import { run } from "sluice/test";
import { withFetch } from "../../../testing/fake_fetch.mjs";
import component from "./http-request.mjs";

async function send(props, answer = () => Response.json({ ok: true })) {
  let result;
  const requests = await withFetch(answer, async () => {
    result = await run(component, { props: { url: "https://example.com/a?x=1", ...props } });
  });
  return { ...result, requests };
}

test("the response is returned", async () => {
  const { returned, exports, requests } = await send({ query: { y: ["2", "3"] }, headers: { "X-Key": "k" } });
  assert.equal(requests[0].url, "https://example.com/a?x=1&y=2&y=3");
  assert.equal(requests[0].headers["x-key"], "k");
  assert.deepEqual([returned.status, returned.body], [200, { ok: true }]);
  assert.equal(exports.$summary, "GET https://example.com/a responded 200");
});

test("bodies have their format", async () => {
  for (const [body, format, content, type] of [
    [{ a: 1 }, "json", '{"a":1}', "application/json"],
    ['{"a":1}', "json", '{"a":1}', "application/json"],
    [{ a: [1, 2], b: { c: 3 } }, "form", "a=1&a=2&b=%7B%22c%22%3A3%7D", "application/x-www-form-urlencoded"],
    ["hello", "text", "hello", "text/plain; charset=utf-8"],
  ]) {
    const { requests } = await send({ method: "POST", body, format });
    assert.deepEqual([requests[0].body, requests[0].headers["content-type"]], [content, type]);
  }
});

test("credentials are sent, and not to another origin", async () => {
  const basic = await send({ username: "ada", password: "pass" });
  assert.equal(basic.requests[0].headers.authorization, "Basic YWRhOnBhc3M=");
  const redirect = (url) =>
    url.startsWith("https://other.")
      ? Response.json({})
      : new Response(null, { status: 302, headers: { location: "https://other.example.com/" } });
  const { requests, returned } = await send(
    { token: "t", headers: { "x-key": "k" }, method: "POST", body: {} },
    redirect,
  );
  assert.equal(requests[0].headers.authorization, "Bearer t");
  assert.deepEqual(
    [requests[1].method, requests[1].headers.authorization, requests[1].headers["x-key"]],
    ["GET", undefined, undefined],
  );
  assert.equal(returned.url, "https://other.example.com/");
  const kept = await send({ followRedirects: false }, redirect);
  assert.equal(kept.returned.status, 302);
});

test("an error status fails the step, unless it is accepted", async () => {
  const answer = () => new Response("no such thing", { status: 404, headers: { "content-type": "text/plain" } });
  const failed = await send({}, answer);
  assert.match(failed.error.message, /GET https:\/\/example.com\/a responded 404: no such thing/);
  const accepted = await send({ acceptErrors: true }, answer);
  assert.deepEqual([accepted.returned.status, accepted.returned.body], [404, "no such thing"]);
});

test("bytes are returned in base64, and large ones are refused", async () => {
  const png = () => new Response(new Uint8Array([1, 2, 255]), { headers: { "content-type": "image/png" } });
  assert.deepEqual((await send({}, png)).returned.body, { base64: "AQL/" });
  const large = () => new Response(new Uint8Array(2 * 1024 * 1024));
  assert.match((await send({ maxSize: 1 }, large)).error.message, /larger than 1048576 bytes/);
});

test("a server that does not respond is given up", async () => {
  const hang = (_, { signal }) => new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason)));
  const { error } = await send({ timeout: 1 }, hang);
  assert.match(error.message, /did not respond within 1 s/);
});

test("redirects end", async () => {
  const circle = () => new Response(null, { status: 302, headers: { location: "/again" } });
  assert.match((await send({}, circle)).error.message, /redirects more than 5 times/);
  const elsewhere = () => new Response(null, { status: 302, headers: { location: "file:///etc/passwd" } });
  assert.match((await send({}, elsewhere)).error.message, /not on the web/);
});
