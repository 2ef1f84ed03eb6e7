const assert = require("node:assert/strict");
const CryptoJS = require("crypto-js");

module.exports = {
  name: "crypto-js",
  version: "0.0.1",
  async run() {
    assert.equal(
      CryptoJS.HmacSHA256("a", "key").toString(),
      require("node:crypto").createHmac("sha256", "key").update("a").digest("hex"),
    );
    this.$emit("ok");
  },
};
