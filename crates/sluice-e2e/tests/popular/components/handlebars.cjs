const assert = require("node:assert/strict");
const Handlebars = require("handlebars");

module.exports = {
  name: "handlebars",
  version: "0.0.1",
  async run() {
    assert.equal(Handlebars.compile("{{#each a}}{{this}};{{/each}}")({ a: [1, 2] }), "1;2;");
    this.$emit("ok");
  },
};
