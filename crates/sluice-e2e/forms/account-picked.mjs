// An app with a key. The options use the account.
const tidewire = {
  type: "app",
  app: "tidewire",
  propDefinitions: {
    gauge: {
      type: "string",
      label: "Gauge",
      description: "A gauge of your account",
      async options() {
        return [1, 2].map((n) => ({ label: `${this.region()} gauge ${n}`, value: n }));
      },
    },
  },
  methods: {
    region() {
      return this.$auth.region.toUpperCase();
    },
  },
};

export default {
  key: "tidewire-high-water",
  name: "High Water",
  version: "0.0.1",
  type: "source",
  props: {
    tidewire,
    gauge: { propDefinition: [tidewire, "gauge"] },
  },
  async run() {
    this.$emit({ gauge: this.gauge, key: this.tidewire.$auth.api_key });
  },
};
