import assert from "node:assert/strict";
import { jwtVerify, SignJWT } from "jose";

export default {
  name: "jose",
  version: "0.0.1",
  async run() {
    const secret = new TextEncoder().encode("0123456789abcdef0123456789abcdef");
    const token = await new SignJWT({ a: 1 }).setProtectedHeader({ alg: "HS256" }).sign(secret);
    assert.equal((await jwtVerify(token, secret)).payload.a, 1);
    this.$emit("ok");
  },
};
