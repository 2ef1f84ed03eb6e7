// A query, a data store, and a folder that needs no answer.
export default {
  key: "deepwell-row-added",
  name: "Row Added",
  version: "0.0.1",
  type: "source",
  props: {
    sql: { type: "sql", label: "Query", auth: { app: "deepwell" } },
    seen: { type: "data_store", label: "Seen Rows" },
    folder: { type: "dir", accessMode: "write" },
    batch: {
      type: "integer",
      label: "Batch",
      options: [
        { label: "Ten", value: 10 },
        { label: "Hundred", value: 100 },
      ],
    },
  },
  async run() {
    await this.seen.set("ran", this.batch);
    this.$emit({ query: this.sql.query, ran: await this.seen.get("ran") });
  },
};
