// Listens to orders and payments, and emits an order when it has both. They may come in either order.
export default {
  name: "Paid orders",
  version: "0.1.0",
  dedupe: "unique",
  props: { db: "$.service.db" },
  run({ kind, order, ...rest }) {
    const waiting = this.db.get(order);
    if (waiting === undefined || waiting.kind === kind) {
      this.db.set(order, { kind, ...rest });
      return;
    }
    // The event and the change of the state are one transaction.
    this.db.set(order, undefined);
    const { customer, amount } = { ...waiting, ...rest };
    this.$emit({ order, customer, amount }, { id: order, summary: `Order ${order} is paid` });
  },
};
