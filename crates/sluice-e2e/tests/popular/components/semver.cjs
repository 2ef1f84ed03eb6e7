const assert = require("node:assert/strict");
const semver = require("semver");

module.exports = {
  name: "semver",
  version: "0.0.1",
  async run() {
    assert.ok(semver.satisfies("1.2.3", "^1.0.0") && semver.gt("2.0.0", "1.9.9"));
    this.$emit("ok");
  },
};
