const assert = require("node:assert/strict");
const Parser = require("rss-parser");

module.exports = {
  name: "rss-parser",
  version: "0.0.1",
  async run() {
    const feed = await new Parser().parseString(
      '<rss version="2.0"><channel><title>T</title><item><title>I</title></item></channel></rss>',
    );
    assert.equal(feed.items[0].title, "I");
    this.$emit("ok");
  },
};
