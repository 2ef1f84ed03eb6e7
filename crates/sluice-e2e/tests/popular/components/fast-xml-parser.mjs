import assert from "node:assert/strict";
import { XMLBuilder, XMLParser } from "fast-xml-parser";

export default {
  name: "fast-xml-parser",
  version: "0.0.1",
  async run() {
    assert.deepEqual(new XMLParser().parse("<a><b>1</b></a>"), { a: { b: 1 } });
    assert.equal(new XMLBuilder().build({ a: { b: 1 } }), "<a><b>1</b></a>");
    this.$emit("ok");
  },
};
