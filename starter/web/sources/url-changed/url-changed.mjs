import { createHash } from "node:crypto";
import { downloadIfChanged, remember } from "../../../common/conditional.mjs";
import { MEBIBYTE, requireSuccess, textOf } from "../../../common/download.mjs";
import { ConfigurationError } from "../../../common/errors.mjs";
import { visibleText } from "../../../common/html_text.mjs";
import { webAddress } from "../../../common/urls.mjs";

const KEY = "content";
const MAX_STORED = 200_000;
const MAX_EXCERPT = 2000;

export default {
  key: "url-changed",
  name: "URL content changed",
  description:
    "Emits an event when the content of a page or file has changed since the last run. The first run only remembers the content.",
  version: "1.0.0",
  type: "source",
  props: {
    url: { type: "string", label: "URL", description: "The address of the page or file." },
    compare: {
      type: "string",
      label: "Compare",
      description: "The visible text leaves out tags, scripts and styles, so that most invisible changes do not count.",
      options: [
        { label: "The visible text", value: "text" },
        { label: "The exact content", value: "exact" },
      ],
      default: "text",
    },
    ignore: {
      type: "string[]",
      label: "Ignore",
      description:
        "Regular expressions. Text that matches one is removed before the comparison, such as `Updated \\d+ minutes ago`.",
      optional: true,
    },
    headers: { type: "object", label: "Headers", description: "Headers of the request.", optional: true },
    timer: {
      type: "$.interface.timer",
      label: "Schedule",
      description: "How often the content is checked.",
      default: { intervalSeconds: 15 * 60 },
    },
    db: "$.service.db",
  },
  async run() {
    const url = webAddress(this.url, "URL");
    const ignored = (this.ignore ?? []).map(expression);
    const headers = this.headers ?? {};
    const privateHeaders = Object.keys(headers);
    const response = await downloadIfChanged(this.db, url, { headers, privateHeaders, maxBytes: 5 * MEBIBYTE });
    if (response === undefined) return;
    requireSuccess(response);
    const content = this.compared(response, ignored);
    const configuration = JSON.stringify([url.href, this.compare, this.ignore ?? []]);
    const current = { hash: sha256(content), text: content.slice(0, MAX_STORED), configuration };
    const previous = this.db.get(KEY);
    if (previous?.configuration === configuration && previous.hash !== current.hash) {
      this.$emit(change(url.href, response, previous, current), { id: current.hash, summary: `${url.href} changed` });
    }
    if (previous?.configuration !== configuration || previous.hash !== current.hash) this.db.set(KEY, current);
    remember(this.db, url, response);
  },
  methods: {
    compared(response, ignored) {
      const text = textOf(response);
      const compared = this.compare === "text" && isMarkup(response) ? visibleText(text) : text;
      return ignored.reduce((rest, pattern) => rest.replace(pattern, ""), compared);
    },
  },
};

function change(url, { status, headers }, previous, current) {
  const before = previous.text.split("\n");
  const after = current.text.split("\n");
  return {
    url,
    status,
    content_type: headers.get("content-type"),
    last_modified: headers.get("last-modified"),
    hash: current.hash,
    previous_hash: previous.hash,
    added: excerpt(linesOnlyIn(after, before)),
    removed: excerpt(linesOnlyIn(before, after)),
  };
}

function linesOnlyIn(lines, others) {
  const known = new Set(others);
  return lines.filter((line) => !known.has(line));
}

function excerpt(lines) {
  return lines.join("\n").slice(0, MAX_EXCERPT);
}

function isMarkup({ headers, bytes }) {
  const type = headers.get("content-type");
  if (type !== null) return /html|xml/i.test(type);
  return /^\s*</.test(new TextDecoder().decode(bytes.subarray(0, 100)));
}

function expression(pattern) {
  try {
    return new RegExp(pattern, "gu");
  } catch (error) {
    throw new ConfigurationError(`"${pattern}" is not a regular expression: ${error.message}`);
  }
}

function sha256(text) {
  return createHash("sha256").update(text).digest("hex");
}
