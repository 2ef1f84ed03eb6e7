import assert from "node:assert/strict";
import * as R from "ramda";

export default {
  name: "ramda",
  version: "0.0.1",
  async run() {
    assert.equal(R.pipe(R.map(R.inc), R.sum)([1, 2]), 5);
    this.$emit("ok");
  },
};
