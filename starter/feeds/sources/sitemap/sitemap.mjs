import { firstItems, newItems, toEmit } from "../../../common/new_items.mjs";
import { webAddress } from "../../../common/urls.mjs";
import { readSitemap } from "../../common/sitemap.mjs";

const TIME_LIMIT_MS = 25_000;

export default {
  key: "sitemap",
  name: "Sitemap",
  description:
    "Emits each new page of a sitemap. Sitemap indexes and compressed sitemaps are followed. The channels are `default` for new pages and `changed` for pages whose `lastmod` has changed.",
  version: "1.0.0",
  type: "source",
  props: {
    url: {
      type: "string",
      label: "Sitemap URL",
      description: "The address of the sitemap, such as `https://example.com/sitemap.xml`.",
    },
    emitChanges: {
      type: "boolean",
      label: "Emit changed pages",
      description: "Also emit pages whose `lastmod` has changed, in the channel `changed`.",
      default: false,
    },
    initialItems: firstItems("pages"),
    maxFiles: {
      type: "integer",
      label: "Maximum number of files",
      description: "The number of sitemap files that one run reads.",
      default: 20,
      min: 1,
      max: 200,
    },
    maxPages: {
      type: "integer",
      label: "Maximum number of pages",
      description: "The number of pages that one run reads. Further pages are ignored.",
      default: 20_000,
      min: 1,
      max: 50_000,
    },
    timer: {
      type: "$.interface.timer",
      label: "Schedule",
      description: "How often the sitemap is checked.",
      default: { intervalSeconds: 60 * 60 },
    },
    db: "$.service.db",
  },
  async run() {
    const url = webAddress(this.url, "Sitemap URL");
    const { maxFiles, maxPages } = this;
    const { pages, isComplete } = await readSitemap(url, { maxFiles, maxPages, deadline: Date.now() + TIME_LIMIT_MS });
    if (!isComplete) console.warn("The sitemap is larger than the limits: some pages were not read");
    const fresh = newItems(this.db, pages, ({ url }) => url);
    const emit = ({ ts, ...page }, name) => this.$emit(page, { id: page.url, name, summary: page.url, ts });
    for (const page of toEmit(fresh, ({ ts }) => ts, this.initialItems)) emit(page);
    if (this.emitChanges) for (const page of this.changedPages(pages, fresh.found)) emit(page, "changed");
  },
  methods: {
    changedPages(pages, newPages) {
      const dated = pages.filter(({ lastmod }) => lastmod !== undefined);
      const { found, isFirst } = newItems(this.db, dated, ({ url, lastmod }) => `${url} ${lastmod}`, "versions");
      return isFirst ? [] : found.filter((page) => !newPages.includes(page));
    },
  },
};
