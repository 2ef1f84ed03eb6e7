import assert from "node:assert/strict";
import test from "node:test";
import { run } from "sluice/test";
import { withFetch } from "../../../testing/fake_fetch.mjs";
import component from "./rss.mjs";

const URL = "https://example.com/blog/feed.xml";
const item = (number) =>
  `<item><title>Post ${number}</title><link>/posts/${number}</link><guid isPermaLink="false">post-${number}</guid>
   <pubDate>Wed, 15 Jan 2025 09:${String(number).padStart(2, "0")}:00 GMT</pubDate></item>`;
const rss = (...items) =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>Blog</title><link>/</link>${items.join("")}</channel></rss>`;

async function poll(document, { db = {}, props = {}, status = 200, headers = {} } = {}) {
  let result;
  const requests = await withFetch(
    () => new Response(status === 304 ? null : document, { status, headers }),
    async () => {
      result = await run(component, { props: { url: URL, ...props }, db });
    },
  );
  return { ...result, requests };
}

test("the first run emits the newest entries, the oldest first", async () => {
  const items = Array.from({ length: 30 }, (_, number) => item(number));
  const { emits, error } = await poll(rss(...items), { props: { initialItems: 3 } });
  assert.equal(error, undefined);
  assert.deepEqual(
    emits.map(({ event }) => event.title),
    ["Post 27", "Post 28", "Post 29"],
  );
  assert.deepEqual(emits[0].event.feed, { title: "Blog", link: "https://example.com/", url: URL });
  assert.equal(emits[0].event.link, "https://example.com/posts/27");
  assert.equal(emits[0].event.published, "2025-01-15T09:27:00.000Z");
});

test("later runs emit each entry once, however long the feed is", async () => {
  const items = Array.from({ length: 300 }, (_, number) => item(number).replace(/09:\d+/, "09:00"));
  const first = await poll(rss(...items));
  const second = await poll(rss("<item><title>New</title><link>/new</link></item>", ...items), { db: first.db });
  assert.deepEqual(
    second.emits.map(({ event }) => [event.title, event.id]),
    [["New", "https://example.com/new"]],
  );
  const third = await poll(rss(...items), { db: second.db });
  assert.deepEqual(third.emits, []);
});

test("an unchanged feed is not sent again", async () => {
  const first = await poll(rss(item(1)), {
    headers: { etag: '"one"', "last-modified": "Wed, 15 Jan 2025 09:30:00 GMT" },
  });
  const second = await poll("", { db: first.db, status: 304 });
  assert.deepEqual(second.emits, []);
  assert.equal(second.error, undefined);
  assert.equal(second.requests[0].headers["if-none-match"], '"one"');
  assert.equal(second.requests[0].headers["if-modified-since"], "Wed, 15 Jan 2025 09:30:00 GMT");
});

test("Atom has its own names", async () => {
  const { emits } = await poll(`<?xml version="1.0" encoding="utf-8"?>
    <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.com/atom/">
      <title>Notes</title><author><name>Ada</name></author>
      <entry>
        <id>urn:1</id><title type="html">Fish &amp;amp; <![CDATA[<b>chips</b>]]></title>
        <link rel="self" href="self.xml"/><link href="one.html"/><link rel="enclosure" href="a.mp3" type="audio/mpeg" length="10"/>
        <updated>2025-01-15T10:30:00+01:00</updated><category term="food"/>
        <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>A &lt; B</p></div></content>
      </entry>
    </feed>`);
  const [{ event }] = emits;
  assert.equal(event.id, "urn:1");
  assert.equal(event.title, "Fish & chips");
  assert.equal(event.link, "https://example.com/atom/one.html");
  assert.equal(event.author, "Ada");
  assert.equal(event.content, "<p>A &lt; B</p>");
  assert.equal(event.updated, "2025-01-15T09:30:00.000Z");
  assert.deepEqual(event.categories, ["food"]);
  assert.deepEqual(event.enclosures, [{ url: "https://example.com/atom/a.mp3", type: "audio/mpeg", length: 10 }]);
});

test("RSS 1.0 has its items beside the channel", async () => {
  const { emits } = await poll(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <channel rdf:about="https://example.com/"><title>Old</title></channel>
    <item rdf:about="https://example.com/1"><title>One</title><link>https://example.com/1</link>
      <dc:date>2025-01-15T09:30:00Z</dc:date><dc:creator>Ada</dc:creator></item></rdf:RDF>`);
  assert.equal(emits[0].event.id, "https://example.com/1");
  assert.equal(emits[0].event.author, "Ada");
  assert.equal(emits[0].event.published, "2025-01-15T09:30:00.000Z");
});

test("entries without guid and link have an id of their content", async () => {
  const document = rss("<item><title>A&nbsp;b &#8211; c</title></item>", "<item><title>Other</title></item>");
  const { emits, db } = await poll(document);
  assert.deepEqual(
    emits.map(({ event }) => event.title),
    ["Other", "A b – c"],
  );
  assert.deepEqual((await poll(document, { db })).emits, []);
});

test("the encoding of the document is used", async () => {
  const bytes = Buffer.from(
    `<?xml version="1.0" encoding="iso-8859-1"?>${rss("<item><title>Grün</title></item>")}`,
    "latin1",
  );
  const { emits } = await poll(bytes, { headers: { "content-type": "application/rss+xml" } });
  assert.equal(emits[0].event.title, "Grün");
});

test("errors say what is wrong and change nothing", async () => {
  const wrong = await poll(rss(), { props: { url: "example.com" } });
  assert.equal(wrong.error.name, "ConfigurationError");
  assert.match(wrong.error.message, /Feed URL must be a web address/);
  const page = await poll("<!doctype html><html><body>no feed</body></html>");
  assert.match(page.error.message, /is not a feed: expected RSS or Atom, found the element <html>/);
  const down = await poll("broken", { status: 500 });
  assert.match(down.error.message, /responded 500: broken/);
  assert.deepEqual(down.db, {});
});

test("a hostile feed ends at once", async () => {
  const entities = Array.from({ length: 10 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join("");
  const laughs = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY e0 "ha">${entities}]>${rss("<item><title>&e10;</title></item>")}`;
  const started = Date.now();
  const { emits } = await poll(laughs);
  assert.equal(emits.length, 1);
  assert.ok(JSON.stringify(emits).length < 1000);
  const deep = await poll(`<rss>${"<a>".repeat(100_000)}`);
  assert.match(deep.error.message, /nested too deeply/);
  const unclosed = await poll(`<rss><channel><item><title>${"<![CDATA[".repeat(50_000)}`);
  assert.equal(unclosed.error, undefined);
  const angles = await poll(rss(`<item><title>${"&lt;".repeat(200_000)}</title></item>`));
  assert.equal(angles.error, undefined);
  assert.ok(Date.now() - started < 10_000);
});

test("a body of 50 MB is not read to its end", async () => {
  let sent = 0;
  const chunk = new Uint8Array(1024 * 1024);
  const body = new ReadableStream({
    pull(controller) {
      sent += 1;
      if (sent > 50) controller.close();
      else controller.enqueue(chunk);
    },
  });
  const { error } = await poll(body);
  assert.match(error.message, /larger than 10485760 bytes/);
  assert.ok(sent < 20);
});
