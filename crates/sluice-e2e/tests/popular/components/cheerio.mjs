import assert from "node:assert/strict";
import * as cheerio from "cheerio";

export default {
  name: "cheerio",
  version: "0.0.1",
  async run() {
    assert.equal(cheerio.load("<ul><li>a</li><li>b</li></ul>")("li").last().text(), "b");
    this.$emit("ok");
  },
};
