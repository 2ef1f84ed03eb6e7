import assert from "node:assert/strict";
import { v4, v5, validate } from "uuid";

export default {
  name: "uuid",
  version: "0.0.1",
  async run() {
    assert.ok(validate(v4()));
    assert.equal(v5("a", v5.URL), v5("a", v5.URL));
    this.$emit("ok");
  },
};
