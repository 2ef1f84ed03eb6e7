const assert = require("node:assert/strict");
const mime = require("mime-types");

module.exports = {
  name: "mime-types",
  version: "0.0.1",
  async run() {
    assert.equal(mime.lookup("a.json"), "application/json");
    this.$emit("ok");
  },
};
