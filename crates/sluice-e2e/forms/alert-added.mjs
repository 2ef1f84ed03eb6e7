// A note that appears with a choice.
export default {
  key: "kilnwork-firing-done",
  name: "Firing Done",
  version: "0.0.1",
  type: "source",
  props: {
    glaze: { type: "string", label: "Glaze", options: ["clear", "lead"], reloadProps: true },
  },
  additionalProps() {
    if (this.glaze !== "lead") return {};
    return {
      danger: { type: "alert", alertType: "error", content: `The glaze ${this.glaze} is poisonous.` },
      confirmed: { type: "boolean", label: "I know" },
    };
  },
  async run() {
    this.$emit({ glaze: this.glaze, confirmed: this.confirmed });
  },
};
