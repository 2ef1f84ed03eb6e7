export default {
  method: "POST",
  path: "/orders",
  query: { source: "shop" },
  headers: { host: "example.com", "content-type": "application/json", "user-agent": "curl/8.9.1" },
  bodyRaw: '{"id":42,"paid":true}',
  body: { id: 42, paid: true },
  url: "https://example.com/orders?source=shop",
  client_ip: "203.0.113.7",
};
