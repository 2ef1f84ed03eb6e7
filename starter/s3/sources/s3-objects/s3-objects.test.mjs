import assert from "node:assert/strict";
import test from "node:test";
import { run } from "sluice/test";
import { withFetch } from "../../../testing/fake_fetch.mjs";
import { signedHeaders } from "../../common/signer.mjs";
import component from "./s3-objects.mjs";

const PROPS = { bucket: "things", accessKeyId: "AKID", secretAccessKey: "secret", initialItems: 2 };
const object = (key, etag, time = "2025-01-15T09:30:00.000Z") =>
  `<Contents><Key>${key}</Key><LastModified>${time}</LastModified><ETag>&quot;${etag}&quot;</ETag><Size>5</Size><StorageClass>STANDARD</StorageClass></Contents>`;
const listing = (contents, token) =>
  `<?xml version="1.0"?><ListBucketResult><IsTruncated>${token !== undefined}</IsTruncated>${
    token ? `<NextContinuationToken>${token}</NextContinuationToken>` : ""
  }${contents.join("")}</ListBucketResult>`;

async function list(answer, { db = {}, props = {} } = {}) {
  let result;
  const requests = await withFetch(
    (url, request) => answer(new URL(url), request),
    async () => {
      result = await run(component, { props: { ...PROPS, ...props }, db });
    },
  );
  return { ...result, requests, keys: result.emits.map(({ event }) => event.key) };
}

test("the signature is that of the documented example", () => {
  const { authorization } = signedHeaders(new URL("https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J"), {
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    region: "us-east-1",
    now: new Date("2013-05-24T00:00:00Z"),
  });
  assert.match(authorization, /Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7$/);
});

test("new and changed objects are emitted once", async () => {
  const before = [
    object("a&amp;b", "1"),
    object("c", "1", "2025-01-15T09:31:00Z"),
    object("d", "1", "2025-01-15T09:32:00Z"),
  ];
  const first = await list(() => new Response(listing(before)));
  assert.deepEqual(first.keys, ["c", "d"]);
  const after = [object("a&amp;b", "2"), ...before.slice(1), object("e", "1")];
  const second = await list(() => new Response(listing(after)), { db: first.db });
  assert.deepEqual(second.keys.sort(), ["a&b", "e"]);
  assert.deepEqual(second.emits.find(({ event }) => event.key === "e").event, {
    bucket: "things",
    key: "e",
    size: 5,
    etag: "1",
    last_modified: "2025-01-15T09:30:00.000Z",
    storage_class: "STANDARD",
  });
});

test("further pages are listed, within the limit", async () => {
  const answer = (url) => {
    const isSecond = url.searchParams.get("continuation-token") === "n+/=";
    return new Response(isSecond ? listing([object("b", "1")]) : listing([object("a", "1")], "n+/="));
  };
  const all = await list(answer);
  assert.deepEqual(all.keys.sort(), ["a", "b"]);
  assert.match(all.requests[1].url, /continuation-token=n%2B%2F%3D/);
  const limited = await list(answer, { props: { maxObjects: 1 } });
  assert.deepEqual(limited.keys, ["a"]);
});

test("growing keys are listed from the last one", async () => {
  const props = { ascending: true };
  const first = await list(() => new Response(listing([object("2025-01", "1"), object("2025-02", "1")])), { props });
  assert.deepEqual(first.keys.sort(), ["2025-01", "2025-02"]);
  const second = await list(() => new Response(listing([object("2025-03", "1")])), { props, db: first.db });
  assert.equal(new URL(second.requests[0].url).searchParams.get("start-after"), "2025-02");
  assert.deepEqual(second.keys, ["2025-03"]);
});

test("addresses are those of the service", async () => {
  const ok = () => new Response(listing([]));
  const amazon = await list(ok, { props: { region: "eu-central-1", prefix: "a b/" } });
  assert.match(
    amazon.requests[0].url,
    /^https:\/\/things\.s3\.eu-central-1\.amazonaws\.com\/\?list-type=2&max-keys=1000&prefix=a%20b%2F$/,
  );
  const own = await list(ok, { props: { endpoint: "http://minio.example.com:9000", pathStyle: true } });
  assert.match(own.requests[0].url, /^http:\/\/minio\.example\.com:9000\/things\?/);
  assert.match(
    own.requests[0].headers.authorization,
    /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/us-east-1\/s3\/aws4_request/,
  );
});

test("errors of the service are shown", async () => {
  const body = "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>";
  const { error } = await list(() => new Response(body, { status: 403 }));
  assert.match(error.message, /refused to list the bucket: AccessDenied: Access Denied/);
  assert.match(
    (await list(() => new Response(""), { props: { bucket: "a/b" } })).error.message,
    /is not the name of a bucket/,
  );
});
