const assert = require("node:assert/strict");
const { google } = require("googleapis");

module.exports = {
  name: "googleapis",
  version: "0.0.1",
  async run() {
    const auth = new google.auth.OAuth2("id", "secret", "https://a.example/callback");
    assert.match(auth.generateAuthUrl({ scope: "email" }), /client_id=id/);
    this.$emit("ok");
  },
};
