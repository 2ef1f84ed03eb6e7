const assert = require("node:assert/strict");
const md5 = require("md5");

module.exports = {
  name: "md5",
  version: "0.0.1",
  async run() {
    assert.equal(md5("message"), "78e731027d8fd50ed642340b7c9a63b3");
    this.$emit("ok");
  },
};
