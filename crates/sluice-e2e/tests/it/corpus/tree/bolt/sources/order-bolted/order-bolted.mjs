import acme from "@pipedream/acme";
import polling from "@pipedream/acme/sources/common/polling.mjs";

export default {
  ...polling,
  key: "bolt-order-bolted",
  name: "Order Bolted",
  version: "0.0.1",
  type: "source",
  dedupe: "unique",
  methods: {
    ...polling.methods,
    getResourceFn() {
      return this.acme.listOrders;
    },
    generateMeta({ id }) {
      return { id, summary: `${acme.app} order ${id}` };
    },
  },
};
