const assert = require("node:assert/strict");
const sanitize = require("sanitize-html");

module.exports = {
  name: "sanitize-html",
  version: "0.0.1",
  async run() {
    assert.equal(sanitize("<b>a</b><script>x</script>"), "<b>a</b>");
    this.$emit("ok");
  },
};
