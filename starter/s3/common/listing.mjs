// Lists the objects of a bucket.

import { download, MEBIBYTE, textOf } from "../../common/download.mjs";
import { ConfigurationError } from "../../common/errors.mjs";
import { webAddress } from "../../common/urls.mjs";
import { childrenOf, childText, parseXml } from "../../common/xml.mjs";
import { canonicalQuery, encode, signedHeaders } from "./signer.mjs";

/** The address of a bucket, in the style of the service. */
export function bucketAddress({ endpoint, region, bucket, pathStyle }) {
  const url = webAddress(endpoint || `https://s3.${region}.amazonaws.com`, "Endpoint");
  const name = String(bucket).trim();
  if (!/^[\w.-]+$/.test(name)) throw new ConfigurationError(`"${bucket}" is not the name of a bucket`);
  const path = url.pathname.replace(/\/$/, "");
  if (pathStyle) return new URL(`${path}/${encode(name)}`, url);
  return new URL(`${path}/`, `${url.protocol}//${name}.${url.host}`);
}

/** Up to `maxObjects` objects with a prefix, in the order of their keys, from behind `after`. */
export async function listObjects(address, credentials, { prefix, after, maxObjects, deadline }) {
  const objects = [];
  let token;
  do {
    const page = await listPage(address, credentials, { prefix, after, token, deadline });
    objects.push(...page.objects);
    token = page.token;
  } while (token !== undefined && objects.length < maxObjects);
  return { objects: objects.slice(0, maxObjects), isComplete: token === undefined && objects.length <= maxObjects };
}

async function listPage(address, credentials, { prefix, after, token, deadline }) {
  const parameters = new URLSearchParams({ "list-type": "2", "max-keys": "1000" });
  if (prefix) parameters.set("prefix", prefix);
  if (after) parameters.set("start-after", after);
  if (token) parameters.set("continuation-token", token);
  const url = new URL(address);
  url.search = canonicalQuery(parameters);
  const headers = signedHeaders(url, { ...credentials, now: new Date() });
  const timeoutMs = Math.max(deadline - Date.now(), 1);
  const response = await download(url, { headers, timeoutMs, maxBytes: 10 * MEBIBYTE, maxRedirects: 0 });
  const root = parseXml(textOf(response));
  if (response.status !== 200) throw listError(response, root);
  if (root?.name !== "ListBucketResult") throw new Error(`${url.origin} did not respond with a list of objects`);
  const isTruncated = childText(root, "IsTruncated") === "true";
  return {
    objects: childrenOf(root, "Contents").map(object),
    token: isTruncated ? childText(root, "NextContinuationToken") : undefined,
  };
}

function object(row) {
  return {
    key: childText(row, "Key") ?? "",
    size: Number(childText(row, "Size") ?? 0),
    etag: childText(row, "ETag")?.replaceAll('"', "") ?? null,
    last_modified: childText(row, "LastModified") ?? null,
    storage_class: childText(row, "StorageClass") ?? null,
  };
}

function listError({ status, url, headers }, root) {
  const code = childText(root, "Code") ?? `status ${status}`;
  const region = childText(root, "Region") ?? headers.get("x-amz-bucket-region");
  const hint = region ? ` (the bucket is in the region ${region})` : "";
  return new Error(
    `${new URL(url).origin} refused to list the bucket: ${code}: ${childText(root, "Message") ?? ""}${hint}`,
  );
}
