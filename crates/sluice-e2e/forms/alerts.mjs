// Notes of every kind between the fields.
export default {
  key: "signalbox-train-passed",
  name: "Train Passed",
  version: "0.0.1",
  type: "source",
  props: {
    welcome: {
      type: "alert",
      alertType: "info",
      content: "Find your **line** in the [timetable](https://signalbox.example/lines).",
    },
    line: { type: "string", label: "Line" },
    quota: { type: "alert", alertType: "warning", content: "Only 20 trains per day are reported." },
    platform: {
      type: "integer",
      label: "Platform",
      options: [
        { label: "One", value: 1 },
        { label: "Two", value: 2 },
      ],
    },
    closed: { type: "alert", alertType: "error", content: "The old tariff ended in spring." },
    aside: { type: "alert", alertType: "neutral", content: "Times are local." },
    plain: { type: "alert", content: "No kind is given here." },
  },
  async run() {
    this.$emit({ line: this.line, platform: this.platform });
  },
};
