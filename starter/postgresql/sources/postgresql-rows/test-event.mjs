export default {
  id: "42",
  customer: "ada@example.com",
  total: "42.00",
  paid: true,
  created_at: "2025-01-15T09:30:00.000Z",
};
