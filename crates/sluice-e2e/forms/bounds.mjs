// Numbers with bounds, which reject a value that is typed first.
export default {
  key: "hothouse-temperature-left",
  name: "Temperature Left Range",
  version: "0.0.1",
  type: "source",
  props: {
    lowest: { type: "integer", label: "Lowest", min: -20, max: 40 },
    highest: { type: "integer", label: "Highest", max: 60 },
    sensor: { type: "string", label: "Sensor" },
    ranks: { type: "integer[]", label: "Ranks", min: 1 },
  },
  async run() {
    this.$emit({ lowest: this.lowest, highest: this.highest, sensor: this.sensor, ranks: this.ranks });
  },
};
