// The first account of the app is connected in the form.
export default {
  key: "tidewire-low-water",
  name: "Low Water",
  version: "0.0.1",
  type: "source",
  props: {
    tidewire: {
      type: "app",
      app: "tidewire",
      methods: {
        credentials() {
          return `${this.$auth.api_key}@${this.$auth.region}`;
        },
      },
    },
    depth: { type: "integer", label: "Depth", description: "In centimetres" },
  },
  async run() {
    this.$emit({ credentials: this.tidewire.credentials(), depth: this.depth });
  },
};
