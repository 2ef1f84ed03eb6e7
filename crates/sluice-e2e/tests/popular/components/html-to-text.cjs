const assert = require("node:assert/strict");
const { convert } = require("html-to-text");

module.exports = {
  name: "html-to-text",
  version: "0.0.1",
  async run() {
    assert.equal(convert("<p>a <b>b</b></p>"), "a b");
    this.$emit("ok");
  },
};
