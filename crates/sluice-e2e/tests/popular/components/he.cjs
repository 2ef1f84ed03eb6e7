const assert = require("node:assert/strict");
const he = require("he");

module.exports = {
  name: "he",
  version: "0.0.1",
  async run() {
    assert.equal(he.decode("&eacute;"), "é");
    this.$emit("ok");
  },
};
