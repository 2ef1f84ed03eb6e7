const assert = require("node:assert/strict");
const slugify = require("slugify");

module.exports = {
  name: "slugify",
  version: "0.0.1",
  async run() {
    assert.equal(slugify("Some Title", { lower: true }), "some-title");
    this.$emit("ok");
  },
};
