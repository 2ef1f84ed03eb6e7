import assert from "node:assert/strict";
import * as yup from "yup";

export default {
  name: "yup",
  version: "0.0.1",
  async run() {
    assert.deepEqual(await yup.object({ a: yup.number().required() }).validate({ a: "1" }), { a: 1 });
    this.$emit("ok");
  },
};
