const assert = require("node:assert/strict");
const Papa = require("papaparse");

module.exports = {
  name: "papaparse",
  version: "0.0.1",
  async run() {
    assert.deepEqual(Papa.parse("a,b\n1,2", { header: true }).data, [{ a: "1", b: "2" }]);
    this.$emit("ok");
  },
};
