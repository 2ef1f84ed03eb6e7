// Fields with options that also take a typed value. The options of one fail.
export default {
  key: "mapwright-place-visited",
  name: "Place Visited",
  version: "0.0.1",
  type: "source",
  props: {
    place: {
      type: "string",
      label: "Place",
      async options({ page }) {
        return page < 3 ? Array.from({ length: 40 }, (_, at) => `Place ${page}-${at}`) : [];
      },
    },
    scale: {
      type: "integer",
      label: "Scale",
      async options() {
        return [
          { label: "1 : 1000", value: 1000 },
          { label: "1 : 5000", value: 5000 },
        ];
      },
    },
    layers: {
      type: "string[]",
      label: "Layers",
      async options() {
        return ["roads", "rivers"];
      },
    },
    survey: {
      type: "string",
      label: "Survey",
      async options() {
        throw new Error("Surveys are closed today.");
      },
    },
  },
  async run() {
    this.$emit({ place: this.place, scale: this.scale, layers: this.layers, survey: this.survey });
  },
};
