import { firstItems, newItems, toEmit } from "../../../common/new_items.mjs";
import { timestamp } from "../../../common/times.mjs";
import { bucketAddress, listObjects } from "../../common/listing.mjs";

const TIME_LIMIT_MS = 25_000;
const POSITION = "last key";

export default {
  key: "s3-objects",
  name: "S3 objects",
  description:
    "Emits new and changed objects of a bucket in Amazon S3 or a compatible service such as MinIO, Cloudflare R2 or Backblaze B2. It lists the bucket at fixed intervals and needs the right to list only.",
  version: "1.0.0",
  type: "source",
  props: {
    bucket: { type: "string", label: "Bucket" },
    prefix: {
      type: "string",
      label: "Prefix",
      description: "Only objects whose keys begin with it, such as `reports/`.",
      optional: true,
    },
    region: { type: "string", label: "Region", default: "us-east-1" },
    accessKeyId: { type: "string", label: "Access key id" },
    secretAccessKey: { type: "string", label: "Secret access key", secret: true },
    sessionToken: { type: "string", label: "Session token", secret: true, optional: true },
    endpoint: {
      type: "string",
      label: "Endpoint",
      description:
        "The address of a compatible service, such as `https://minio.example.com`. Leave empty for Amazon S3.",
      optional: true,
    },
    pathStyle: {
      type: "boolean",
      label: "Bucket in the path",
      description:
        "Put the name of the bucket into the path of addresses instead of the host. Most compatible services need it.",
      default: false,
    },
    ascending: {
      type: "boolean",
      label: "Keys only grow",
      description:
        "Each new object has a greater key than those before, such as a date. Then runs list only what is behind the last key, so that a bucket can have any number of objects. Changed objects are not found.",
      default: false,
    },
    maxObjects: {
      type: "integer",
      label: "Maximum number of objects",
      description: "The number of objects that one run lists.",
      default: 10_000,
      min: 1,
      max: 20_000,
    },
    initialItems: firstItems("objects"),
    timer: {
      type: "$.interface.timer",
      label: "Schedule",
      description: "How often the bucket is listed.",
      default: { intervalSeconds: 15 * 60 },
    },
    db: "$.service.db",
  },
  async run() {
    const { prefix, maxObjects, ascending } = this;
    const after = ascending ? this.db.get(POSITION) : undefined;
    const options = { prefix, after, maxObjects, deadline: Date.now() + TIME_LIMIT_MS };
    const { objects, isComplete } = await listObjects(bucketAddress(this), this.credentials(), options);
    if (!isComplete) console.warn(`There are more than ${maxObjects} objects: the rest was not listed`);
    const fresh = ascending
      ? { found: objects, isFirst: after === undefined }
      : newItems(this.db, objects, ({ key, etag, last_modified }) => `${key} ${etag ?? last_modified}`);
    if (ascending && objects.length > 0) this.db.set(POSITION, objects.at(-1).key);
    const timeOf = (object) => timestamp(object.last_modified);
    for (const object of toEmit(fresh, timeOf, this.initialItems)) {
      const id = `${object.etag ?? object.last_modified} ${object.key}`;
      this.$emit({ bucket: this.bucket, ...object }, { id, summary: object.key, ts: timeOf(object) });
    }
  },
  methods: {
    credentials() {
      const { accessKeyId, secretAccessKey, sessionToken, region } = this;
      return { accessKeyId, secretAccessKey, sessionToken, region };
    },
  },
};
