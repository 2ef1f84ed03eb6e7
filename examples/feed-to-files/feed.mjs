import * as cheerio from "cheerio";

// Emits each entry of an RSS feed once.
export default {
  name: "Feed",
  version: "0.1.0",
  dedupe: "unique",
  props: {
    url: { type: "string", label: "Feed", description: "URL of an RSS feed" },
    timer: { type: "$.interface.timer", default: { intervalSeconds: 15 * 60 } },
  },
  async run() {
    const response = await fetch(this.url);
    if (!response.ok) throw new Error(`The feed responded ${response.status}`);
    const $ = cheerio.load(await response.text(), { xml: true });
    for (const item of $("item").toArray().reverse()) {
      const field = (name) => $(item).children(name).text().trim();
      const entry = { title: field("title"), link: field("link"), published: field("pubDate") };
      this.$emit(entry, {
        id: field("guid") || entry.link,
        summary: entry.title,
        ts: Date.parse(entry.published),
      });
    }
  },
};
