// As many props as a number says.
export default {
  key: "abacus-columns-summed",
  name: "Columns Summed",
  version: "0.0.1",
  type: "source",
  props: {
    count: { type: "integer", label: "Columns", min: 1, max: 5, reloadProps: true },
  },
  async additionalProps() {
    const props = {};
    for (let n = 1; n <= this.count; n++) {
      props[`column_${n}_name`] = { type: "string", label: `Column ${n} Name` };
      props[`column_${n}_digits`] = { type: "integer", label: `Column ${n} Digits`, default: 2 };
    }
    return props;
  },
  async run() {
    this.$emit([this.column_1_name, this.column_1_digits, this.column_2_name, this.column_2_digits]);
  },
};
