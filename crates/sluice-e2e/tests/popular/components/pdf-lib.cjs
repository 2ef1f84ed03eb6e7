const assert = require("node:assert/strict");
const { PDFDocument } = require("pdf-lib");

module.exports = {
  name: "pdf-lib",
  version: "0.0.1",
  async run() {
    const document = await PDFDocument.create();
    document.addPage();
    assert.equal((await PDFDocument.load(await document.save())).getPageCount(), 1);
    this.$emit("ok");
  },
};
