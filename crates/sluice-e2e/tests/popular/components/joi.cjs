const assert = require("node:assert/strict");
const Joi = require("joi");

module.exports = {
  name: "joi",
  version: "0.0.1",
  async run() {
    assert.ok(Joi.object({ a: Joi.number().required() }).validate({}).error);
    this.$emit("ok");
  },
};
