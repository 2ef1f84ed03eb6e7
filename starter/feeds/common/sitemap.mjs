// Reads sitemaps: lists of pages, and indexes that list other sitemaps.

import { gunzipSync } from "node:zlib";
import { decode, download, MEBIBYTE, requireSuccess } from "../../common/download.mjs";
import { timestamp } from "../../common/times.mjs";
import { isWebAddress } from "../../common/urls.mjs";
import { childrenOf, childText, parseXml } from "../../common/xml.mjs";

const MAX_DOWNLOAD = 10 * MEBIBYTE;
const MAX_TEXT = 50 * MEBIBYTE;

/** The pages of a sitemap and of all sitemaps that it lists, within `maxFiles` files and `maxPages` pages. */
export async function readSitemap(url, { maxFiles, maxPages, deadline }) {
  const waiting = [String(url)];
  const known = new Set(waiting);
  const pages = new Map();
  let files = 0;
  while (waiting.length > 0 && files < maxFiles && pages.size < maxPages) {
    const remaining = deadline - Date.now();
    if (remaining <= 0) throw new Error(`The sitemaps of ${url} could not be read in time: lower the number of files`);
    const address = waiting.shift();
    files += 1;
    const { sitemaps, listed } = await readFile(address, remaining);
    for (const sitemap of sitemaps.filter((sitemap) => !known.has(sitemap))) {
      known.add(sitemap);
      waiting.push(sitemap);
    }
    for (const page of listed) {
      if (pages.size < maxPages) pages.set(page.url, page);
    }
  }
  return { pages: [...pages.values()], isComplete: waiting.length === 0 && pages.size < maxPages };
}

async function readFile(url, timeoutMs) {
  const response = requireSuccess(await download(url, { maxBytes: MAX_DOWNLOAD, timeoutMs }));
  const root = parseXml(sitemapText(response.bytes));
  switch (root?.name) {
    case "sitemapindex":
      return {
        sitemaps: childrenOf(root, "sitemap")
          .map((row) => address(row, url))
          .filter(Boolean),
        listed: [],
      };
    case "urlset":
      return {
        sitemaps: [],
        listed: childrenOf(root, "url")
          .map((row) => page(row, url))
          .filter(Boolean),
      };
    default:
      throw new Error(`${url} is not a sitemap: expected <urlset> or <sitemapindex>`);
  }
}

function page(row, base) {
  const url = address(row, base);
  if (url === undefined) return undefined;
  const lastmod = childText(row, "lastmod");
  const priority = Number(childText(row, "priority"));
  return {
    url,
    ...(lastmod && { lastmod }),
    ...(childText(row, "changefreq") && { changefreq: childText(row, "changefreq") }),
    ...(priority > 0 && { priority }),
    ts: timestamp(lastmod),
  };
}

function address(row, base) {
  const url = URL.parse(childText(row, "loc") ?? "", base);
  return isWebAddress(url) ? url.href : undefined;
}

// Compressed sitemaps are recognized by their first bytes, because servers label them in several ways.
function sitemapText(bytes) {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return decode(isCompressed ? gunzipSync(bytes, { maxOutputLength: MAX_TEXT }) : bytes);
}
