// A declared prop is hidden until another asks for it.
export default {
  key: "belltower-hour-struck",
  name: "Hour Struck",
  version: "0.0.1",
  type: "source",
  props: {
    hint: { type: "alert", alertType: "neutral", content: "The text may contain {hour}.", hidden: true },
    custom: { type: "boolean", label: "Custom text", reloadProps: true },
    text: { type: "string", label: "Text", hidden: true },
  },
  async additionalProps(existing) {
    existing.text.hidden = !this.custom;
    existing.hint.hidden = !this.custom;
    return {};
  },
  async run() {
    this.$emit({ custom: this.custom, text: this.text });
  },
};
