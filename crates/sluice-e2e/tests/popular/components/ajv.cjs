const assert = require("node:assert/strict");
const Ajv = require("ajv").default;

module.exports = {
  name: "ajv",
  version: "0.0.1",
  async run() {
    const validate = new Ajv().compile({ type: "object", required: ["a"] });
    assert.equal(validate({ a: 1 }), true);
    assert.equal(validate({}), false);
    this.$emit("ok");
  },
};
