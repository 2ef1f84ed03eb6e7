export default {
  timestamp: 1736933400,
  interval_seconds: 3600,
  time: "2025-01-15T09:30:00.000Z",
  data: {},
};
