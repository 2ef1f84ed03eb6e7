import assert from "node:assert/strict";
import { chunk } from "lodash-es";

export default {
  name: "lodash-es",
  version: "0.0.1",
  async run() {
    assert.deepEqual(chunk([1, 2, 3], 2), [[1, 2], [3]]);
    this.$emit("ok");
  },
};
