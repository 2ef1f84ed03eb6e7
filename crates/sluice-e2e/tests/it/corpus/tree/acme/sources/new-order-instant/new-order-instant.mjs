import common from "../common/webhook.mjs";

export default {
  ...common,
  key: "acme-new-order-instant",
  name: "New Order (Instant)",
  description: "Emit new event when an order is made",
  version: "0.0.1",
  type: "source",
  dedupe: "unique",
  methods: {
    ...common.methods,
    getTopics() {
      return ["order.created"];
    },
    generateMeta({ id, created_at: createdAt }) {
      return {
        id,
        summary: `New order ${id}`,
        ts: new Date(createdAt),
      };
    },
  },
};
