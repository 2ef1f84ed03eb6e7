const assert = require("node:assert/strict");
const FormData = require("form-data");
const axios = require("axios");

module.exports = {
  name: "form-data",
  version: "0.0.1",
  async run(event) {
    const form = new FormData();
    form.append("field", "value");
    const { data } = await axios.post(event.url, form, { headers: form.getHeaders() });
    assert.match(data.headers["content-type"], /^multipart\/form-data; boundary=/);
    assert.match(data.text, /name="field"/);
    this.$emit("ok");
  },
};
