const assert = require("node:assert/strict");
const qrcode = require("qrcode");

module.exports = {
  name: "qrcode",
  version: "0.0.1",
  async run() {
    assert.match(await qrcode.toString("a", { type: "svg" }), /^<svg/);
    this.$emit("ok");
  },
};
