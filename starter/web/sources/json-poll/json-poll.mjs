import { downloadIfChanged, remember } from "../../../common/conditional.mjs";
import { download, MEBIBYTE, requireSuccess, textOf } from "../../../common/download.mjs";
import { ConfigurationError } from "../../../common/errors.mjs";
import { canonical, shortHash } from "../../../common/hash.mjs";
import { parsePath, valueAt } from "../../../common/json_path.mjs";
import { firstItems, newItems, toEmit } from "../../../common/new_items.mjs";
import { contentOf } from "../../../common/request_body.mjs";
import { timestamp } from "../../../common/times.mjs";
import { webAddress } from "../../../common/urls.mjs";

const TIME_LIMIT_MS = 25_000;
const MAX_ITEMS = 5000;

export default {
  key: "json-poll",
  name: "JSON polling",
  description:
    "Requests a JSON API at fixed intervals and emits each item of a list once. Items are told apart by their id, or by their content.",
  version: "1.0.0",
  type: "source",
  props: {
    url: { type: "string", label: "URL", description: "The address of the API." },
    method: { type: "string", label: "Method", options: ["GET", "POST"], default: "GET" },
    headers: { type: "object", label: "Headers", description: "Headers of the request.", optional: true },
    token: {
      type: "string",
      label: "Bearer token",
      description: "Sent in the header `Authorization`.",
      secret: true,
      optional: true,
    },
    body: { type: "any", label: "Body", description: "The body of a POST request, sent as JSON.", optional: true },
    itemsPath: {
      type: "string",
      label: "Path to the items",
      description: "Where the list is in the response, such as `data.items`. Leave empty if the response is a list.",
      optional: true,
    },
    idPath: {
      type: "string",
      label: "Path to the id",
      description: "Where the id is in an item, such as `id`. Leave empty to tell items apart by their content.",
      optional: true,
    },
    timePath: {
      type: "string",
      label: "Path to the time",
      description: "Where the time is in an item, such as `created_at`. Items are emitted in the order of their times.",
      optional: true,
    },
    summaryPath: {
      type: "string",
      label: "Path to the summary",
      description: "Where a short text is in an item, such as `title`. It is shown in lists of events.",
      optional: true,
    },
    nextPath: {
      type: "string",
      label: "Path to the next page",
      description:
        "Where the address of the next page is in the response, such as `links.next`. Leave empty to use the header `Link`, if there is one.",
      optional: true,
    },
    maxPages: {
      type: "integer",
      label: "Maximum number of pages",
      description: "The number of pages that one run requests.",
      default: 5,
      min: 1,
      max: 50,
    },
    initialItems: firstItems("items"),
    timer: {
      type: "$.interface.timer",
      label: "Schedule",
      description: "How often the API is requested.",
      default: { intervalSeconds: 15 * 60 },
    },
    db: "$.service.db",
  },
  async run() {
    const paths = this.paths();
    const first = webAddress(this.url, "URL");
    const deadline = Date.now() + TIME_LIMIT_MS;
    const response = await downloadIfChanged(this.db, first, this.request(first, first, deadline));
    if (response === undefined) return;
    const items = await this.allItems(first, response, paths, deadline);
    const idOf = (item) => this.idOf(item, paths.id);
    const timeOf = (item) => (paths.time.length > 0 ? timestamp(valueAt(item, paths.time)) : undefined);
    for (const item of toEmit(newItems(this.db, items, idOf), timeOf, this.initialItems)) {
      this.$emit(item, { id: idOf(item), ts: timeOf(item), summary: summaryOf(item, paths.summary) });
    }
    remember(this.db, first, response);
  },
  methods: {
    paths() {
      return {
        items: parsePath(this.itemsPath, "Path to the items"),
        id: parsePath(this.idPath, "Path to the id"),
        time: parsePath(this.timePath, "Path to the time"),
        summary: parsePath(this.summaryPath, "Path to the summary"),
        next: parsePath(this.nextPath, "Path to the next page"),
      };
    },
    /** Credentials are sent to the origin of the first page only. */
    request(url, first, deadline) {
      const isSameOrigin = url.origin === first.origin;
      const headers = { accept: "application/json", ...(isSameOrigin && this.headers) };
      if (this.token && isSameOrigin) headers.authorization = `Bearer ${this.token}`;
      const { content, type } = this.method === "POST" ? contentOf(this.body ?? {}, "json") : {};
      if (content !== undefined) headers["content-type"] ??= type;
      return {
        method: this.method,
        headers,
        body: content,
        maxBytes: 10 * MEBIBYTE,
        timeoutMs: Math.max(deadline - Date.now(), 1),
        privateHeaders: Object.keys(this.headers ?? {}),
      };
    },
    async allItems(first, response, paths, deadline) {
      const visited = new Set([first.href]);
      const items = [];
      let [url, page] = [first, response];
      for (;;) {
        const content = parseJson(requireSuccess(page));
        items.push(...this.itemsIn(content, paths.items));
        url = nextPage(content, page, paths.next, url);
        if (items.length >= MAX_ITEMS || url === undefined || visited.has(url.href)) return items.slice(0, MAX_ITEMS);
        if (visited.size >= this.maxPages) {
          console.warn(`There are more than ${this.maxPages} pages: the rest was not read`);
          return items;
        }
        visited.add(url.href);
        page = await download(url, this.request(url, first, deadline));
      }
    },
    itemsIn(content, path) {
      const items = valueAt(content, path);
      if (Array.isArray(items)) return items;
      const place = this.itemsPath ? `at ${this.itemsPath}` : "in the response";
      throw new ConfigurationError(`There is no list ${place}: set Path to the items to the place of the list`);
    },
    idOf(item, path) {
      if (path.length === 0) return shortHash(canonical(item));
      const id = valueAt(item, path);
      if (id === undefined || id === null)
        throw new ConfigurationError(`An item has no ${this.idPath}: ${excerpt(item)}`);
      return typeof id === "object" ? canonical(id) : String(id);
    },
  },
};

function nextPage(content, { headers, url }, path, current) {
  const link = path.length > 0 ? valueAt(content, path) : linkHeader(headers.get("link"));
  if (typeof link !== "string" || link === "") return undefined;
  const next = webAddress(URL.parse(link, url)?.href ?? link, "The address of the next page");
  if (current.protocol === "https:" && next.protocol === "http:") {
    throw new Error("The next page is at an address without encryption");
  }
  return next;
}

// `<https://example.com/items?page=2>; rel="next"`
function linkHeader(text) {
  for (const [, target, parameters] of (text ?? "").matchAll(/<([^<>]*)>([^<]*)/g)) {
    if (/;\s*rel\s*=\s*"?[^";]*\bnext\b/i.test(parameters)) return target;
  }
  return undefined;
}

function parseJson(response) {
  try {
    return JSON.parse(textOf(response));
  } catch (error) {
    throw new Error(`${new URL(response.url).origin} did not respond with JSON: ${error.message}`);
  }
}

function summaryOf(item, path) {
  const value = path.length > 0 ? valueAt(item, path) : undefined;
  return value === undefined || value === null ? excerpt(item) : String(value);
}

function excerpt(value) {
  return JSON.stringify(value).slice(0, 100);
}
