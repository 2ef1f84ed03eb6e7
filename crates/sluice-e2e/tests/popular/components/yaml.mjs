import assert from "node:assert/strict";
import { parse, stringify } from "yaml";

export default {
  name: "yaml",
  version: "0.0.1",
  async run() {
    assert.deepEqual(parse("a: 1"), { a: 1 });
    assert.equal(stringify({ a: 1 }), "a: 1\n");
    this.$emit("ok");
  },
};
