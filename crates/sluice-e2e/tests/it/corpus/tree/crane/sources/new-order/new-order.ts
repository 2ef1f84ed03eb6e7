import { DEFAULT_POLLING_SOURCE_TIMER_INTERVAL } from "@pipedream/platform";
import { defineSource } from "@pipedream/types";
import crane from "../../app/crane.app";
import { summaryOf } from "../../common/summary";
import { Order, Page } from "../../common/types";

const DEFAULTS = { intervalSeconds: DEFAULT_POLLING_SOURCE_TIMER_INTERVAL } satisfies Record<string, number>;

export default defineSource({
  key: "crane-new-order",
  name: "New Order",
  description: "Emit new event for each new order",
  version: "0.0.1",
  type: "source",
  dedupe: "unique",
  props: {
    crane,
    db: "$.service.db",
    timer: {
      type: "$.interface.timer",
      default: DEFAULTS,
    },
    customerId: {
      propDefinition: [crane, "customerId"],
      optional: true,
    },
  },
  hooks: {
    async deploy() {
      await this.processOrders(1);
    },
  },
  methods: {
    getLastId(): number {
      return (this.db.get("lastId") as number) ?? 0;
    },
    emitOrder(order: Order): void {
      this.$emit(order, { id: order.id, summary: summaryOf(order), ts: Date.parse(order.created_at) });
    },
    async processOrders(max?: number) {
      const { customerId } = this;
      const { listOrders, paginate } = this.crane;
      const lastId = this.getLastId();
      const orders: Order[] = [];
      const fetchPage = (page: Page) => listOrders({ ...page, customer_id: customerId });
      for await (const order of paginate(fetchPage, max)) {
        if (order.id > lastId || max) orders.push(order);
      }
      if (!orders.length) return;
      if (!max) this.db.set("lastId", orders[0]!.id);
      orders.reverse().forEach(this.emitOrder);
    },
  },
  async run() {
    await this.processOrders();
  },
});
