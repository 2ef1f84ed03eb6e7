const assert = require("node:assert/strict");
const tar = require("tar-stream");

module.exports = {
  name: "tar-stream",
  version: "0.0.1",
  async run() {
    const pack = tar.pack();
    pack.entry({ name: "a.txt" }, "text");
    pack.finalize();
    const extract = tar.extract();
    pack.pipe(extract);
    for await (const entry of extract) {
      assert.equal(entry.header.name, "a.txt");
      entry.resume();
    }
    this.$emit("ok");
  },
};
