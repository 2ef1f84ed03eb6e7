// Emits each order on the default channel, and large ones on the channel "large" too.
export default {
  name: "Shop",
  version: "0.1.0",
  props: {
    http: "$.interface.http",
    large: { type: "integer", label: "Total from which an order is large", default: 1000 },
  },
  run({ body }) {
    this.$emit(body, { summary: `Order ${body.id}` });
    if (body.total >= this.large) this.$emit(body, { name: "large", summary: `Large order ${body.id}` });
  },
};
