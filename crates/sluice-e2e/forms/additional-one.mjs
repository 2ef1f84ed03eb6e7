// One prop decides which others exist.
export default {
  key: "courierly-parcel-event",
  name: "Parcel Event",
  version: "0.0.4",
  type: "source",
  props: {
    carrier: {
      type: "string",
      label: "Carrier",
      options: ["Road", "Rail", "Sea"],
      reloadProps: true,
    },
    note: { type: "string", label: "Note" },
  },
  async additionalProps() {
    if (this.carrier === "Sea") {
      return {
        port: {
          type: "string",
          label: "Port",
          options: [
            { label: "Aldwater", value: 31 },
            { label: "Brinemouth", value: 32 },
          ],
        },
        containers: { type: "integer", label: "Containers", min: 1 },
      };
    }
    if (this.carrier === "Rail") return { wagon: { type: "string", label: "Wagon" } };
    return {};
  },
  async run() {
    this.$emit({ carrier: this.carrier, note: this.note, port: this.port, containers: this.containers });
  },
};
