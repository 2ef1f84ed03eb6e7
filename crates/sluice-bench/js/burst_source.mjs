// Emits many events for one request, so that delivery is measured and not the requests.

const ORDER = {
  type: "order.paid",
  id: "ord_18374",
  customer: { id: "cus_991", name: "Ada Lovelace", email: "ada@example.com" },
  items: [
    { sku: "A-100", quantity: 2, price: 1999 },
    { sku: "B-250", quantity: 1, price: 4950 },
  ],
  currency: "EUR",
  paid: true,
};

export default {
  name: "Benchmark burst",
  version: "1.0.0",
  props: { http: "$.interface.http" },
  run(event) {
    for (let n = 0; n < event.body.count; n++) this.$emit({ n, ...ORDER });
  },
};
