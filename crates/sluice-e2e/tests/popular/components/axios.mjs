import assert from "node:assert/strict";
import axios from "axios";

export default {
  name: "axios",
  version: "0.0.1",
  async run(event) {
    const response = await axios.get(event.url, { params: { a: 1 }, headers: { "x-b": "2" } });
    assert.equal(response.status, 200);
    assert.equal(response.data.query.a, "1");
    assert.equal(response.data.headers["x-b"], "2");
    await assert.rejects(axios.get(`${event.url}/404`), { code: "ERR_BAD_REQUEST" });
    this.$emit("ok");
  },
};
