export default {
  type: "user.created",
  timestamp: "2025-01-15T09:30:00.000Z",
  data: { id: "user_42", name: "Ada", email: "ada@example.com" },
};
