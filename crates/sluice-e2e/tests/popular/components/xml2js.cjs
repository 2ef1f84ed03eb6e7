const assert = require("node:assert/strict");
const { parseStringPromise } = require("xml2js");

module.exports = {
  name: "xml2js",
  version: "0.0.1",
  async run() {
    assert.deepEqual(await parseStringPromise("<a><b>1</b></a>"), { a: { b: ["1"] } });
    this.$emit("ok");
  },
};
