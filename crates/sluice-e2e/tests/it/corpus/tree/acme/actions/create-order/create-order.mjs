import acme from "../../acme.app.mjs";

export default {
  key: "acme-create-order",
  name: "Create Order",
  description: "Make an order for a customer. [See the documentation](https://acme.example/docs)",
  version: "0.0.1",
  type: "action",
  annotations: {
    destructiveHint: false,
    openWorldHint: true,
    readOnlyHint: false,
  },
  props: {
    acme,
    customerId: {
      propDefinition: [acme, "customerId"],
    },
    items: {
      type: "string[]",
      label: "Items",
    },
    copyOf: {
      propDefinition: [acme, "orderId", ({ customerId }) => ({ customerId })],
      optional: true,
    },
  },
  async run({ $ }) {
    if (!this.items.length) return $.flow.exit("nothing to order");
    const response = await this.acme.createOrder({
      $,
      data: { customer_id: this.customerId, items: this.items },
    });
    $.export("$summary", `Successfully made order ${response.id}`);
    $.respond({ status: 201, body: response });
    return response;
  },
};
