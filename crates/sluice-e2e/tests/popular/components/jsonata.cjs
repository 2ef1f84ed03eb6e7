const assert = require("node:assert/strict");
const jsonata = require("jsonata");

module.exports = {
  name: "jsonata",
  version: "0.0.1",
  async run() {
    assert.equal(await jsonata("$sum(a)").evaluate({ a: [1, 2] }), 3);
    this.$emit("ok");
  },
};
