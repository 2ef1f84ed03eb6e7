const get = require("lodash/get");
const common = require("../common");
const { intervalSeconds } = require("../common/settings.json");

const { bolt } = common;

module.exports = {
  key: "bolt-new-order",
  name: "New Order",
  description: "Emit an event when an order is made",
  version: "0.0.1",
  dedupe: "unique",
  props: {
    bolt,
    db: "$.service.db",
    timer: {
      type: "$.interface.timer",
      default: { intervalSeconds },
    },
    customerId: { propDefinition: [bolt, "customerId"], optional: true },
  },
  hooks: {
    async deploy() {
      await this.processOrders(1);
    },
  },
  methods: {
    ...common.methods,
    generateMeta(order) {
      return { id: order.id, summary: `New order ${get(order, "id")}`, ts: Date.parse(order.created_at) };
    },
    async processOrders(max) {
      const lastId = this.db.get("lastId") || 0;
      const { customerId } = this;
      const { listOrders, paginate } = this.bolt;
      const orders = [];
      const fetchPage = (page) => listOrders({ ...page, customer_id: customerId });
      for await (const order of paginate(fetchPage, max)) {
        if (order.id > lastId || max) orders.push(order);
      }
      if (orders.length === 0) return;
      if (!max) this.db.set("lastId", orders[0].id);
      orders.reverse().forEach(this.emit);
    },
  },
  async run() {
    await this.processOrders();
  },
};
