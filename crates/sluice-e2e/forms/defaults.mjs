// Defaults of required and of optional props, one of them computed.
const YEAR = 2000 + 26;

export default {
  key: "vineyardly-vintage-rated",
  name: "Vintage Rated",
  version: "0.0.1",
  type: "source",
  props: {
    region: { type: "string", label: "Region", default: "valley" },
    year: { type: "integer", label: "Year", default: YEAR },
    grade: {
      type: "string",
      label: "Grade",
      default: 2,
      options: [
        { label: "Table", value: 1 },
        { label: "Fine", value: 2 },
        { label: "Grand", value: 3 },
      ],
    },
    organic: { type: "boolean", label: "Organic", default: false },
    grapes: { type: "string[]", label: "Grapes", default: ["white"], options: ["red", "white", "rose"] },
    cellar: { type: "string", label: "Cellar", optional: true, default: "old cellar" },
  },
  async run() {
    const { region, year, grade, organic, grapes, cellar } = this;
    this.$emit({ region, year, grade, organic, grapes, cellar });
  },
};
