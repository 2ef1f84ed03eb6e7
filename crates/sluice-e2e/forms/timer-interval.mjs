// A polling source whose schedule the user sets.
export default {
  key: "driftnet-catch-landed",
  name: "Catch Landed",
  version: "0.0.1",
  type: "source",
  dedupe: "unique",
  props: {
    db: "$.service.db",
    timer: { type: "$.interface.timer", label: "Polling interval" },
    port: {
      type: "string",
      label: "Port",
      options: [
        { label: "Inner", value: 1 },
        { label: "Outer", value: 2 },
      ],
    },
  },
  async run() {
    const id = (this.db.get("id") ?? 0) + 1;
    this.db.set("id", id);
    this.$emit({ port: this.port }, { id });
  },
};
