export default {
  id: "https://example.com/posts/42",
  title: "A new release",
  link: "https://example.com/posts/42",
  author: "Ada",
  summary: "The release has three new features.",
  content: "<p>The release has three new features.</p>",
  published: "2025-01-15T09:30:00.000Z",
  categories: ["releases"],
  enclosures: [],
  feed: { title: "Example blog", link: "https://example.com/", url: "https://example.com/feed.xml" },
};
