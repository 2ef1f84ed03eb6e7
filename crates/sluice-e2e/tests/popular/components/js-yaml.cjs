const assert = require("node:assert/strict");
const yaml = require("js-yaml");

module.exports = {
  name: "js-yaml",
  version: "0.0.1",
  async run() {
    assert.deepEqual(yaml.load("a: [1, 2]"), { a: [1, 2] });
    this.$emit("ok");
  },
};
