import { createReadStream } from "node:fs";
import { Readable } from "node:stream";

// Receives files of forms, puts each into a storage by HTTP, and emits where it is.
export default {
  name: "Uploads",
  version: "0.1.0",
  props: {
    http: { type: "$.interface.http", customResponse: true },
    storage: { type: "string", label: "URL of a folder of the storage" },
    token: { type: "string", label: "Token of the storage", secret: true, optional: true },
    limit: { type: "integer", label: "Largest file, in bytes", default: 5 * 1024 * 1024 },
  },
  methods: {
    async put(key, { path, mimetype, size }) {
      const headers = { "content-type": mimetype, "content-length": String(size) };
      if (this.token) headers.authorization = `Bearer ${this.token}`;
      const body = Readable.toWeb(createReadStream(path));
      const response = await fetch(`${this.storage}/${key}`, { method: "PUT", headers, body, duplex: "half" });
      if (!response.ok) throw new Error(`the storage responded ${response.status}`);
      return `${this.storage}/${key}`;
    },
  },
  async run({ body }) {
    const { file, title = "" } = body ?? {};
    if (file?.path === undefined) return this.http.respond({ status: 400, body: { error: "send a form with a file" } });
    if (file.size > this.limit) return this.http.respond({ status: 413, body: { error: "the file is too large" } });
    // The name is chosen by the client, so it is not the key.
    const key = crypto.randomUUID();
    const url = await this.put(key, file);
    this.$emit(
      { title, url, name: file.filename, type: file.mimetype, size: file.size },
      { id: key, summary: file.filename },
    );
    return this.http.respond({ status: 201, body: { id: key } });
  },
};
