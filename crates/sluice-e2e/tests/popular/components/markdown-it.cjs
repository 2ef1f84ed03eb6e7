const assert = require("node:assert/strict");
const MarkdownIt = require("markdown-it");

module.exports = {
  name: "markdown-it",
  version: "0.0.1",
  async run() {
    assert.equal(new MarkdownIt().render("*a*").trim(), "<p><em>a</em></p>");
    this.$emit("ok");
  },
};
