import assert from "node:assert/strict";
import { axios, ConfigurationError } from "@pipedream/platform";

export default {
  name: "pipedream-platform",
  version: "0.0.1",
  async run(event) {
    const body = await axios(this, { url: event.url, method: "POST", data: { a: 1 } });
    assert.deepEqual(body.body, { a: 1 });
    assert.equal(new ConfigurationError("x").name, "ConfigurationError");
    this.$emit("ok");
  },
};
