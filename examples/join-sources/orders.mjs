// Emits the orders of a shop.
export default {
  name: "Orders",
  version: "0.1.0",
  props: { http: "$.interface.http" },
  run({ body }) {
    this.$emit({ kind: "order", order: body.id, customer: body.customer }, { summary: `Order ${body.id}` });
  },
};
