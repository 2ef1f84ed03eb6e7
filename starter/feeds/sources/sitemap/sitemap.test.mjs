import assert from "node:assert/strict";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { run } from "sluice/test";
import { withFetch } from "../../../testing/fake_fetch.mjs";
import component from "./sitemap.mjs";

const ROOT = "https://example.com/sitemap.xml";
const set = (...rows) => `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${rows.join("")}</urlset>`;
const page = (path, lastmod = "") =>
  `<url><loc>https://example.com/${path}</loc>${lastmod && `<lastmod>${lastmod}</lastmod>`}</url>`;
const index = (...paths) =>
  `<sitemapindex>${paths.map((path) => `<sitemap><loc>https://example.com/${path}</loc></sitemap>`).join("")}</sitemapindex>`;

async function poll(files, { db = {}, props = {} } = {}) {
  let result;
  const requests = await withFetch(
    (url) => {
      const file = files[new URL(url).pathname];
      return file === undefined ? new Response("missing", { status: 404 }) : new Response(file);
    },
    async () => {
      result = await run(component, { props: { url: ROOT, ...props }, db });
    },
  );
  return { ...result, requests, urls: result.emits.map(({ event }) => event.url) };
}

test("new pages are emitted once", async () => {
  const first = await poll({ "/sitemap.xml": set(page("a"), page("b")) }, { props: { initialItems: 1 } });
  assert.deepEqual(first.urls, ["https://example.com/a"]);
  const second = await poll({ "/sitemap.xml": set(page("a", "2025-01-15"), page("b"), page("c")) }, { db: first.db });
  assert.deepEqual(second.urls, ["https://example.com/c"]);
});

test("changed pages are in their own channel", async () => {
  const props = { emitChanges: true, initialItems: 0 };
  const first = await poll({ "/sitemap.xml": set(page("a", "2025-01-15"), page("b", "2025-01-15")) }, { props });
  assert.deepEqual(first.urls, []);
  const files = { "/sitemap.xml": set(page("a", "2025-01-16"), page("b", "2025-01-15"), page("c", "2025-01-16")) };
  const second = await poll(files, { props, db: first.db });
  assert.deepEqual(second.urls, ["https://example.com/c", "https://example.com/a"]);
  assert.equal(second.emits[1].name, "changed");
  assert.equal(second.emits[1].event.lastmod, "2025-01-16");
});

test("indexes and compressed files are followed, within limits", async () => {
  const files = {
    "/sitemap.xml": index("one.xml", "two.xml.gz", "sitemap.xml"),
    "/one.xml": set(page("a")),
    "/two.xml.gz": gzipSync(set(page("b"))),
  };
  const all = await poll(files);
  assert.deepEqual(all.urls.sort(), ["https://example.com/a", "https://example.com/b"]);
  assert.equal(all.requests.length, 3);
  const limited = await poll(files, { props: { maxFiles: 2 } });
  assert.deepEqual(limited.urls, ["https://example.com/a"]);
  assert.match(JSON.stringify(limited.logs), /larger than the limits/);
});

test("a compressed file that becomes huge is refused", async () => {
  const { error } = await poll({ "/sitemap.xml": gzipSync(Buffer.alloc(60 * 1024 * 1024)) });
  assert.match(error.message, /larger than|ERR_BUFFER_TOO_LARGE|Cannot create a Buffer/i);
});

test("another document is an error", async () => {
  const { error } = await poll({ "/sitemap.xml": "<html></html>" });
  assert.match(error.message, /is not a sitemap/);
});
