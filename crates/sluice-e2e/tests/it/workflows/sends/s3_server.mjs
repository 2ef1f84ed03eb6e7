// A real S3-compatible server on loopback, with one bucket and its objects as files in the given folder. Prints its address.

import S3rver from "s3rver";

const [directory] = process.argv.slice(2);
const server = new S3rver({
  address: "127.0.0.1",
  configureBuckets: [{ name: "some-bucket" }],
  directory,
  port: 0,
  silent: true,
});
const { port } = await server.run();

// The one thing on standard output; it ends with whoever started it.
process.stdout.write(`http://127.0.0.1:${port}\n`);
process.stdin.on("end", () => process.exit(0)).resume();
