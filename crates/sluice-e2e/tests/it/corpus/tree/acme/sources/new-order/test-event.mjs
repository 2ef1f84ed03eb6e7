export default {
  id: 1,
  customer_id: "c1",
  created_at: "2026-01-01T00:00:00Z",
};
