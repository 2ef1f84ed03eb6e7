import { downloadIfChanged, remember } from "../../../common/conditional.mjs";
import { requireSuccess, textOf } from "../../../common/download.mjs";
import { firstItems, newItems, toEmit } from "../../../common/new_items.mjs";
import { webAddress } from "../../../common/urls.mjs";
import { readFeed } from "../../common/feed.mjs";

const ACCEPT =
  "application/rss+xml, application/atom+xml, application/rdf+xml, application/xml;q=0.9, text/xml;q=0.8, */*;q=0.1";

export default {
  key: "rss",
  name: "RSS and Atom",
  description: "Emits each new entry of an RSS 2.0, RSS 1.0 or Atom feed. An unchanged feed is not downloaded again.",
  version: "1.0.0",
  type: "source",
  props: {
    url: {
      type: "string",
      label: "Feed URL",
      description: "The address of the feed, such as `https://example.com/feed.xml`.",
    },
    initialItems: firstItems("entries"),
    timer: {
      type: "$.interface.timer",
      label: "Schedule",
      description: "How often the feed is checked.",
      default: { intervalSeconds: 15 * 60 },
    },
    db: "$.service.db",
  },
  async run() {
    const url = webAddress(this.url, "Feed URL");
    const response = await downloadIfChanged(this.db, url, { headers: { accept: ACCEPT } });
    if (response === undefined) return;
    requireSuccess(response);
    const { feed, entries } = readFeed(textOf(response), response.url);
    const fresh = newItems(this.db, entries, ({ id }) => id);
    for (const { ts, ...entry } of toEmit(fresh, (entry) => entry.ts, this.initialItems)) {
      this.$emit(
        { ...entry, feed: { ...feed, url: url.href } },
        { id: entry.id, summary: entry.title ?? entry.link, ts },
      );
    }
    remember(this.db, url, response);
  },
};
