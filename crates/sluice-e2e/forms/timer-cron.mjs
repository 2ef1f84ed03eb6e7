// A schedule with a default, and one that the code fixes.
export default {
  key: "lanternist-dusk",
  name: "Dusk",
  version: "0.0.1",
  type: "source",
  props: {
    timer: { type: "$.interface.timer", label: "Schedule", default: { intervalSeconds: 15 * 60 } },
    town: { type: "string", label: "Town" },
  },
  async run() {
    this.$emit({ town: this.town });
  },
};
