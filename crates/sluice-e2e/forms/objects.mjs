// Objects in rows and as JSON, and a value of any type.
export default {
  key: "ledgerly-entry-added",
  name: "Entry Added",
  version: "0.0.1",
  type: "source",
  props: {
    filters: { type: "object", label: "Filters", description: "Field names and values" },
    mapping: { type: "object", label: "Mapping" },
    preset: { type: "object", label: "Preset", default: {} },
    sample: { type: "any", label: "Sample" },
    remark: { type: "any", label: "Remark" },
  },
  async run() {
    this.$emit({ filters: this.filters, mapping: this.mapping, sample: this.sample, remark: this.remark });
  },
};
