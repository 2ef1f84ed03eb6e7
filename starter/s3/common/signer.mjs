// Signs requests with AWS Signature Version 4.

import { createHash, createHmac } from "node:crypto";

const EMPTY_HASH = createHash("sha256").update("").digest("hex");

/** The headers of a signed GET request. `now` is a Date. */
export function signedHeaders(url, { accessKeyId, secretAccessKey, sessionToken, region, now }) {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  const headers = {
    host: url.host,
    "x-amz-content-sha256": EMPTY_HASH,
    "x-amz-date": time,
    ...(sessionToken && { "x-amz-security-token": sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const request = [
    "GET",
    url.pathname,
    canonicalQuery(url.searchParams),
    ...names.map((name) => `${name}:${headers[name]}`),
    "",
    names.join(";"),
    EMPTY_HASH,
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, createHash("sha256").update(request).digest("hex")].join("\n");
  const key = [day, region, "s3", "aws4_request"].reduce(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, text).toString("hex");
  const { host, ...sent } = headers;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`,
  };
}

/** Encodes a text as the signature requires: everything but unreserved characters. */
export function encode(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

export function canonicalQuery(parameters) {
  return [...parameters]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join("&");
}

function hmac(key, text) {
  return createHmac("sha256", key).update(text).digest();
}
