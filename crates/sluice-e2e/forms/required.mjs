// Required fields that are left empty at first.
export default {
  key: "postmill-letter-sorted",
  name: "Letter Sorted",
  version: "0.0.1",
  type: "source",
  props: {
    street: { type: "string", label: "Street" },
    number: { type: "integer", label: "House Number" },
    town: {
      type: "string",
      label: "Town",
      async options() {
        return ["Millford", "Stonebridge"];
      },
    },
  },
  async run() {
    this.$emit({ street: this.street, number: this.number, town: this.town });
  },
};
