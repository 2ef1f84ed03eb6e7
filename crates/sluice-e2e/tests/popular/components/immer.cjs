const assert = require("node:assert/strict");
const { produce } = require("immer");

module.exports = {
  name: "immer",
  version: "0.0.1",
  async run() {
    assert.deepEqual(
      produce({ a: 1 }, (draft) => {
        draft.b = 2;
      }),
      { a: 1, b: 2 },
    );
    this.$emit("ok");
  },
};
