export default {
  url: "https://example.com/status",
  status: 200,
  content_type: "text/html; charset=utf-8",
  last_modified: "Wed, 15 Jan 2025 09:30:00 GMT",
  hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  previous_hash: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
  added: "All systems operational",
  removed: "Partial outage",
};
