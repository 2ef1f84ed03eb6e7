import assert from "node:assert/strict";
import { nanoid } from "nanoid";

export default {
  name: "nanoid",
  version: "0.0.1",
  async run() {
    assert.equal(nanoid().length, 21);
    this.$emit("ok");
  },
};
