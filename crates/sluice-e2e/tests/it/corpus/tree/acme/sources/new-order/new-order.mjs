import common from "../common/polling.mjs";
import sampleEmit from "./test-event.mjs";

export default {
  ...common,
  key: "acme-new-order",
  name: "New Order",
  description: "Emit new event for each new order. [See the documentation](https://acme.example/docs)",
  version: "0.0.1",
  type: "source",
  dedupe: "unique",
  props: {
    ...common.props,
    customerId: {
      propDefinition: [common.props.acme, "customerId"],
      optional: true,
    },
  },
  methods: {
    ...common.methods,
    getResourceFn() {
      return this.acme.listOrders;
    },
    getParams() {
      return { customer_id: this.customerId };
    },
    generateMeta(order) {
      return {
        id: order.id,
        summary: `New order ${order.id}`,
        ts: Date.parse(order.created_at),
      };
    },
  },
  sampleEmit,
};
