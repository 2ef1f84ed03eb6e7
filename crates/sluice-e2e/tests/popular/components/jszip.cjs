const assert = require("node:assert/strict");
const JSZip = require("jszip");

module.exports = {
  name: "jszip",
  version: "0.0.1",
  async run() {
    const zip = new JSZip().file("a.txt", "text");
    const again = await JSZip.loadAsync(await zip.generateAsync({ type: "nodebuffer" }));
    assert.equal(await again.file("a.txt").async("string"), "text");
    this.$emit("ok");
  },
};
