const bolt = require("../../bolt.app");

module.exports = {
  bolt,
  methods: {
    generateMeta() {
      throw new Error("generateMeta is not implemented");
    },
    emit(order) {
      const { id, summary, ts } = this.generateMeta(order);
      this.$emit(order, { id, summary, ts });
    },
  },
};
