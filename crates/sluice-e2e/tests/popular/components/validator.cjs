const assert = require("node:assert/strict");
const validator = require("validator");

module.exports = {
  name: "validator",
  version: "0.0.1",
  async run() {
    assert.ok(validator.isEmail("a@example.com") && !validator.isEmail("a"));
    this.$emit("ok");
  },
};
