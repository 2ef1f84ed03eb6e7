// Every link within the built site leads to a page and to a heading, and nothing is loaded from another host.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { parse } from "node-html-parser";
import { BASE, candidates, DIST } from "./harness/site.mjs";

const HOST = "http://site";
/** Paths of the server outside of the site. */
const OF_THE_SERVER = ["/", "/openapi.json"];
const LOADED = "script[src], link[href], img[src], source[src], iframe[src]";
const MAX_BYTES = 4_000_000;

const files = readdirSync(DIST, { recursive: true }).filter((file) => statSync(join(DIST, file)).isFile());
const pages = new Map(
  files
    .filter((file) => file.endsWith(".html"))
    .map((file) => [file, parse(readFileSync(join(DIST, file), "utf8"), { comment: false })]),
);
const anchors = new Map(
  [...pages].map(([file, page]) => [file, new Set(page.querySelectorAll("[id]").map(({ id }) => id))]),
);

const isFile = (file) => existsSync(join(DIST, file)) && statSync(join(DIST, file)).isFile();

function problem(href, page) {
  const url = new URL(href, `${HOST}${BASE}${page.replace(/(index)?\.html$/, "")}`);
  if (url.origin !== HOST || OF_THE_SERVER.includes(url.pathname)) return undefined;
  if (!url.pathname.startsWith(BASE)) return "is outside of the site";
  const file = candidates(decodeURI(url.pathname).slice(BASE.length)).find(isFile);
  if (file === undefined) return "leads to no page";
  const anchor = decodeURIComponent(url.hash.slice(1));
  return anchor === "" || anchors.get(file)?.has(anchor) ? undefined : "leads to no heading";
}

test("links lead to pages and headings", () => {
  const problems = [...pages].flatMap(([file, page]) =>
    page.querySelectorAll("a[href]").flatMap((link) => {
      const href = link.getAttribute("href");
      const found = problem(href, file);
      return found ? [`${file}: ${href} ${found}`] : [];
    }),
  );
  assert.deepEqual([...new Set(problems)], []);
});

test("pages load files of the site only", () => {
  const problems = [...pages].flatMap(([file, page]) =>
    page.querySelectorAll(LOADED).flatMap((element) => {
      const address = element.getAttribute("src") ?? element.getAttribute("href");
      return address.startsWith(BASE) && isFile(address.slice(BASE.length)) ? [] : [`${file}: ${address}`];
    }),
  );
  assert.deepEqual(problems, []);
});

test("names of files need no escapes", () => {
  assert.deepEqual(
    files.filter((file) => !/^[\w./-]+$/.test(file)),
    [],
  );
});

test("the site is small", () => {
  const size = (file) =>
    statSync(existsSync(join(DIST, `${file}.gz`)) ? join(DIST, `${file}.gz`) : join(DIST, file)).size;
  const bytes = files.reduce((sum, file) => sum + (file.endsWith(".gz") ? 0 : size(file)), 0);
  assert.ok(bytes < MAX_BYTES, `${bytes} bytes`);
});

test("every text has a compressed form, because the program contains only that", () => {
  const texts = files.filter((file) => /\.(?:html|js|css|svg|json)$/.test(file));
  assert.deepEqual(
    texts.filter((file) => !files.includes(`${file}.gz`)),
    [],
  );
});
