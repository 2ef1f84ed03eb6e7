import assert from "node:assert/strict";
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";

export default {
  name: "aws-sdk-client-s3",
  version: "0.0.1",
  async run() {
    const client = new S3Client({ region: "us-east-1", credentials: { accessKeyId: "a", secretAccessKey: "b" } });
    assert.match(await getSignedUrl(client, new GetObjectCommand({ Bucket: "b", Key: "k" })), /X-Amz-Signature=/);
    this.$emit("ok");
  },
};
