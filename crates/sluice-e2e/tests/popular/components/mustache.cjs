const assert = require("node:assert/strict");
const Mustache = require("mustache");

module.exports = {
  name: "mustache",
  version: "0.0.1",
  async run() {
    assert.equal(Mustache.render("{{a}}", { a: "<" }), "&lt;");
    this.$emit("ok");
  },
};
