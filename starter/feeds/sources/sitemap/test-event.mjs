export default {
  url: "https://example.com/products/42",
  lastmod: "2025-01-15",
  changefreq: "weekly",
  priority: 0.8,
};
