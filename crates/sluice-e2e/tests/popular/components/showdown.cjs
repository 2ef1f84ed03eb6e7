const assert = require("node:assert/strict");
const showdown = require("showdown");

module.exports = {
  name: "showdown",
  version: "0.0.1",
  async run() {
    assert.equal(new showdown.Converter().makeHtml("**a**"), "<p><strong>a</strong></p>");
    this.$emit("ok");
  },
};
