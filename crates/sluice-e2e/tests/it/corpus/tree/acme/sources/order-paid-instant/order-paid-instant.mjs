import common from "../common/webhook.mjs";

export default {
  ...common,
  key: "acme-order-paid-instant",
  name: "Order Paid (Instant)",
  version: "0.0.1",
  type: "source",
  props: {
    ...common.props,
    topics: {
      propDefinition: [common.props.acme, "topics"],
    },
  },
  hooks: {
    ...common.hooks,
    async deploy() {
      const { orders } = await this.acme.listOrders({ params: { limit: 1 } });
      orders.forEach(this.emitEvent);
    },
    async activate() {
      await common.hooks.activate.call(this);
      this.activate("activated");
    },
  },
  methods: {
    ...common.methods,
    // A method may have the name of a hook.
    activate(what) {
      this.$emit({ what, webhookId: this.db.get("webhookId") }, { summary: what });
    },
    getTopics() {
      return this.topics;
    },
    generateMeta({ id }) {
      return { summary: `Paid: ${id}` };
    },
  },
};
