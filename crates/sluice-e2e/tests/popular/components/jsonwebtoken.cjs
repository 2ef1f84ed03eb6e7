const assert = require("node:assert/strict");
const jwt = require("jsonwebtoken");

module.exports = {
  name: "jsonwebtoken",
  version: "0.0.1",
  async run() {
    assert.equal(jwt.verify(jwt.sign({ a: 1 }, "secret"), "secret").a, 1);
    assert.throws(() => jwt.verify(jwt.sign({}, "secret"), "other"), { name: "JsonWebTokenError" });
    this.$emit("ok");
  },
};
