const assert = require("node:assert/strict");
const { GraphQLClient, gql } = require("graphql-request");

module.exports = {
  name: "graphql-request",
  version: "0.0.1",
  async run(event) {
    const client = new GraphQLClient(`${event.url}/graphql`);
    assert.deepEqual(await client.request(gql`{ a }`), { a: 1 });
    this.$emit("ok");
  },
};
