const assert = require("node:assert/strict");
const _ = require("lodash");
const get = require("lodash/get");

module.exports = {
  name: "lodash",
  version: "0.0.1",
  async run() {
    assert.deepEqual(
      _.groupBy([1, 2, 3], (n) => n % 2),
      { 0: [2], 1: [1, 3] },
    );
    assert.equal(get({ a: [{ b: 3 }] }, "a[0].b"), 3);
    this.$emit("ok");
  },
};
