export default {
  id: 42,
  title: "An item of the list",
  created_at: "2025-01-15T09:30:00Z",
};
