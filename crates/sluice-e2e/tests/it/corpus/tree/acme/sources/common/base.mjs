import acme from "../../acme.app.mjs";

export default {
  props: {
    acme,
    db: "$.service.db",
  },
  methods: {
    generateMeta() {
      throw new Error("generateMeta is not implemented");
    },
    emitEvent(resource) {
      const meta = this.generateMeta(resource);
      this.$emit(resource, meta);
    },
  },
};
