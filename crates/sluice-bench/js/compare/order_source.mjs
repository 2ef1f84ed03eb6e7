// The code step of the comparison: computes the total of an order, and emits it.
export default {
  name: "Order total",
  version: "1.0.0",
  props: { http: "$.interface.http" },
  run(event) {
    const { id, items } = event.body;
    const total = items.reduce((sum, item) => sum + item.quantity * item.price, 0);
    this.$emit({ id, total });
  },
};
