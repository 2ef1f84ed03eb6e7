import assert from "node:assert/strict";
import { marked } from "marked";

export default {
  name: "marked",
  version: "0.0.1",
  async run() {
    assert.equal(marked.parse("# a").trim(), "<h1>a</h1>");
    this.$emit("ok");
  },
};
