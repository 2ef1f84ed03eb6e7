const assert = require("node:assert/strict");
const superagent = require("superagent");

module.exports = {
  name: "superagent",
  version: "0.0.1",
  async run(event) {
    const { body } = await superagent.post(event.url).send({ a: 1 });
    assert.deepEqual(body.body, { a: 1 });
    this.$emit("ok");
  },
};
