export default {
  topic: "orders/create",
  shop: "example.myshopify.com",
  event_id: "98880550-7158-44d4-b7cd-2c97c8a091b5",
  triggered_at: "2025-01-15T09:30:00.000000000Z",
  payload: {
    id: 5678901234567,
    name: "#1042",
    email: "ada@example.com",
    currency: "EUR",
    total_price: "42.00",
    line_items: [{ id: 1, title: "A thing", quantity: 2, price: "21.00" }],
  },
};
