const assert = require("node:assert/strict");
const iconv = require("iconv-lite");

module.exports = {
  name: "iconv-lite",
  version: "0.0.1",
  async run() {
    assert.equal(iconv.decode(Buffer.from([0xe9]), "latin1"), "é");
    this.$emit("ok");
  },
};
