const assert = require("node:assert/strict");
const qs = require("qs");

module.exports = {
  name: "qs",
  version: "0.0.1",
  async run() {
    assert.deepEqual(qs.parse("a[b]=c"), { a: { b: "c" } });
    assert.equal(qs.stringify({ a: [1, 2] }, { encode: false }), "a[0]=1&a[1]=2");
    this.$emit("ok");
  },
};
