// Each additional prop brings the next.
export default {
  key: "matrioshka-doll-opened",
  name: "Doll Opened",
  version: "0.0.1",
  type: "source",
  props: {
    outer: { type: "string", label: "Outer", options: ["wood", "glass"], reloadProps: true },
  },
  async additionalProps() {
    const props = {};
    if (!this.outer) return props;
    props.middle = {
      type: "string",
      label: `Middle of ${this.outer}`,
      options: [
        { label: "One", value: 1 },
        { label: "Two", value: 2 },
      ],
      reloadProps: true,
    };
    if (!this.middle) return props;
    props.inner = {
      type: "string",
      label: `Inner ${this.middle}`,
      reloadProps: true,
      async options() {
        return [
          { label: "Small", value: 5 },
          { label: "Tiny", value: 6 },
        ];
      },
    };
    if (!this.inner) return props;
    props.core = { type: "string", label: `Core of ${this.outer} ${this.middle} ${this.inner}` };
    return props;
  },
  async run() {
    const { outer, middle, inner, core } = this;
    this.$emit({ outer, middle, inner, core });
  },
};
