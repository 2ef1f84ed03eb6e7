// Options inside an object, beside the context of the next page.
const PAGES = {
  start: { channels: ["arrivals", "berths"], next: "c2" },
  c2: { channels: ["cranes", "docks"], next: "c3" },
  c3: { channels: ["engines"], next: null },
};

export default {
  key: "foghorn-new-message",
  name: "New Message",
  version: "1.0.0",
  type: "source",
  props: {
    channel: {
      type: "string",
      label: "Channel",
      async options({ prevContext: { cursor = "start" } }) {
        if (cursor === null) return { options: [], context: { cursor } };
        const { channels, next } = PAGES[cursor];
        return {
          options: channels.map((name, at) => ({ label: `#${name}`, value: `CH${cursor}${at}` })),
          context: { cursor: next },
        };
      },
    },
    also: {
      type: "string[]",
      label: "Also watch",
      async options({ prevContext }) {
        const page = prevContext?.page ?? 1;
        if (page > 2) return { options: [] };
        return { options: [`group ${page}a`, `group ${page}b`], context: { page: page + 1 } };
      },
    },
  },
  async run() {
    this.$emit({ channel: this.channel, also: this.also });
  },
};
