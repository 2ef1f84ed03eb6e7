// The built site behind a server with the headers and the fallbacks of Sluice.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const BASE = "/docs/";
export const DIST = fileURLToPath(new URL("../../.vitepress/dist/", import.meta.url));

/** As .vitepress/content-policy.mjs describes it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types vue",
].join("; ");
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".png": "image/png",
  ".svg": "image/svg+xml",
};

/** The files that may answer for a path of the site, first one first. */
export const candidates = (path) =>
  path === "" || path.endsWith("/") ? [`${path}index.html`] : [path, `${path}.html`, `${path}/index.html`];

export async function serve() {
  const server = createServer(async ({ url }, response) => {
    const path = decodeURI(new URL(url, "http://site").pathname);
    const found = path.startsWith(BASE) && (await read(candidates(path.slice(BASE.length))));
    const { name, content } = found || { name: "404.html", content: await readFile(join(DIST, "404.html")) };
    response.writeHead(found ? 200 : 404, {
      "content-type": TYPES[extname(name)] ?? "application/octet-stream",
      ...(extname(name) === ".html" && { "content-security-policy": POLICY }),
    });
    response.end(content);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}${BASE}`, close: () => server.close() };
}

async function read([name, ...others]) {
  try {
    return { name, content: await readFile(join(DIST, name)) };
  } catch {
    return others.length > 0 ? read(others) : undefined;
  }
}
