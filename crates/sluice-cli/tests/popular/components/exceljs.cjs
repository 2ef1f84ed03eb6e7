const assert = require("node:assert/strict");
const ExcelJS = require("exceljs");

module.exports = {
  name: "exceljs",
  version: "0.0.1",
  async run() {
    const book = new ExcelJS.Workbook();
    book.addWorksheet("s").addRow(["a", 1]);
    const again = new ExcelJS.Workbook();
    await again.xlsx.load(await book.xlsx.writeBuffer());
    assert.equal(again.getWorksheet("s").getCell("A1").value, "a");
    this.$emit("ok");
  },
};
