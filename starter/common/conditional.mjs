// Conditional requests: an unchanged document is not sent again.

import { download } from "./download.mjs";

const KEY = "validators";

/** Like `download`, but returns undefined if the document has not changed since the last call of `remember`. */
export async function downloadIfChanged(db, url, options = {}) {
  const known = db.get(KEY);
  const headers = { ...options.headers };
  if (known?.url === String(url) && (options.method ?? "GET") === "GET") {
    if (known.etag) headers["if-none-match"] = known.etag;
    if (known.modified) headers["if-modified-since"] = known.modified;
  }
  const response = await download(url, { ...options, headers });
  return response.status === 304 ? undefined : response;
}

/** To be called when the document was processed, so that an error has it sent again. */
export function remember(db, url, { headers }) {
  const etag = headers.get("etag");
  const modified = headers.get("last-modified");
  db.set(KEY, { url: String(url), etag, modified });
}
