const assert = require("node:assert/strict");
const convert = require("xml-js");

module.exports = {
  name: "xml-js",
  version: "0.0.1",
  async run() {
    assert.equal(JSON.parse(convert.xml2json("<a>1</a>", { compact: true })).a._text, "1");
    this.$emit("ok");
  },
};
