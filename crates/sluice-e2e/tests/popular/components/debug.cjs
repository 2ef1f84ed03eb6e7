const assert = require("node:assert/strict");
const debug = require("debug");

module.exports = {
  name: "debug",
  version: "0.0.1",
  async run() {
    assert.equal(debug("x").namespace, "x");
    this.$emit("ok");
  },
};
