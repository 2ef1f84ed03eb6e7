const assert = require("node:assert/strict");
const { PNG } = require("pngjs");

module.exports = {
  name: "pngjs",
  version: "0.0.1",
  async run() {
    const again = PNG.sync.read(PNG.sync.write(new PNG({ width: 2, height: 3 })));
    assert.deepEqual([again.width, again.height], [2, 3]);
    this.$emit("ok");
  },
};
