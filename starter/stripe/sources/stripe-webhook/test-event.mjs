export default {
  id: "evt_1QhXyZ2eZvKYlo2C",
  object: "event",
  api_version: "2024-12-18.acacia",
  created: 1736933400,
  type: "invoice.paid",
  livemode: false,
  pending_webhooks: 1,
  data: {
    object: {
      id: "in_1QhXyY2eZvKYlo2C",
      object: "invoice",
      amount_paid: 4200,
      currency: "eur",
      customer: "cus_RaT5sV9wLq",
      customer_email: "ada@example.com",
      status: "paid",
    },
  },
  request: { id: null, idempotency_key: null },
};
