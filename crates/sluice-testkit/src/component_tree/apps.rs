//! The files that the components of an app share.

use std::fmt::Write as _;

/// The files of an app, by their paths in its folder.
pub(super) fn files(app: &str) -> Vec<(String, String)> {
    let fill = |text: &str| text.replace("$APP", app);
    let mut files: Vec<(String, String)> = [
        ("package.json", MANIFEST),
        ("README.md", "# What it is\n"),
        ("common/constants.mjs", CONSTANTS),
        ("common/utils.mjs", UTILS),
        ("common/shared.mjs", SHARED),
        ("sources/common/base.mjs", BASE),
        ("sources/common/polling.mjs", POLLING),
    ]
    .into_iter()
    .map(|(path, text)| (path.to_owned(), fill(text)))
    .collect();
    files.push((format!("{app}.app.mjs"), fill(&app_file())));
    files
}

const MANIFEST: &str =
    r#"{ "name": "@pipedream/$APP", "version": "0.1.0", "main": "$APP.app.mjs" }"#;

const CONSTANTS: &str = r#"
const BASE_URL = "https://api.$APP.example.com";
const VERSION_PATH = "/v2";
const LIMIT = 100;
const STATES = ["open", "closed", { label: "In progress", value: "in_progress" }];
export { BASE_URL, VERSION_PATH, LIMIT, STATES };
export default { BASE_URL, VERSION_PATH, LIMIT, STATES };
"#;

const UTILS: &str = r#"
import { ConfigurationError } from "@pipedream/platform";
import { LIMIT } from "./constants.mjs";

export const parse = (value) => {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new ConfigurationError(`This is not valid JSON: ${value}`);
  }
};

export const clean = (object) => Object.fromEntries(Object.entries(object ?? {}).filter(([, value]) => value !== undefined));

export async function collect(iterator, most = LIMIT) {
  const items = [];
  for await (const item of iterator) {
    items.push(item);
    if (items.length >= most) break;
  }
  return items;
}
"#;

const SHARED: &str = r#"
import pluralize from "pluralize";
export * from "./utils.mjs";
export default { nameOf: ({ name }) => pluralize(name ?? "item", 1) };
"#;

const BASE: &str = r#"
import app from "../../$APP.app.mjs";

export default {
  props: { app, db: "$.service.db", http: { type: "$.interface.http", customResponse: true } },
  hooks: {
    async activate() {
      const { id } = await this.app.createHook({ data: { url: this.http.endpoint, event: this.getEvent() } });
      this.db.set("hookId", id);
    },
    async deactivate() {
      await this.app.deleteHook({ hookId: this.db.get("hookId") });
    },
  },
  methods: {
    getEvent() { throw new Error("getEvent is not implemented"); },
    generateMeta(item) { return { id: item.id, summary: `New: ${item.name}`, ts: Date.parse(item.created_at) }; },
  },
  async run({ body }) {
    this.http.respond({ status: 200 });
    this.$emit(body, this.generateMeta(body));
  },
};
"#;

const POLLING: &str = r#"
import { DEFAULT_POLLING_SOURCE_TIMER_INTERVAL } from "@pipedream/platform";
import app from "../../$APP.app.mjs";
import { collect } from "../../common/utils.mjs";

export default {
  props: {
    app,
    db: "$.service.db",
    timer: { type: "$.interface.timer", default: { intervalSeconds: DEFAULT_POLLING_SOURCE_TIMER_INTERVAL } },
  },
  methods: {
    getLast() { return this.db.get("last"); },
    setLast(last) { this.db.set("last", last); },
  },
  async run() {
    const items = await collect(this.app.paginate({ fn: this.app.listItems, args: { since: this.getLast() } }));
    for (const item of items) this.$emit(item, { id: item.id, summary: item.name, ts: Date.now() });
    if (items.length) this.setLast(items.at(-1).created_at);
  },
};
"#;

/// An app of typical size: a few props and forty methods.
fn app_file() -> String {
    let mut methods = String::new();
    for number in 0..40 {
        let _ = write!(
            methods,
            r"
    async operation{number}({{ $ = this, itemId, ...args }} = {{}}) {{
      return this._makeRequest({{ $, method: 'POST', path: `/items/${{itemId}}/{number}`, ...args }});
    }},"
        );
    }
    APP.replace("$METHODS", &methods)
}

const APP: &str = r#"
import { axios } from "@pipedream/platform";
import constants from "./common/constants.mjs";

export default {
  type: "app",
  app: "$APP",
  propDefinitions: {
    itemId: {
      type: "string",
      label: "Item",
      description: "The item to work with",
      async options({ page }) {
        const items = await this.listItems({ params: { page } });
        return items.map(({ id: value, name: label }) => ({ label, value }));
      },
    },
    state: { type: "string", label: "State", description: "Of the item", options: constants.STATES, optional: true },
    limit: { type: "integer", label: "Limit", description: "At most so many", default: constants.LIMIT, optional: true },
  },
  methods: {
    _baseUrl() { return `${constants.BASE_URL}${constants.VERSION_PATH}`; },
    _headers() {
      return { "Authorization": `Bearer ${this.$auth.api_key}`, "X-Workspace": this.$auth.workspace };
    },
    _makeRequest({ $ = this, path, ...args } = {}) {
      return axios($, { url: `${this._baseUrl()}${path}`, headers: this._headers(), ...args });
    },
    listItems(args = {}) { return this._makeRequest({ path: "/items", ...args }); },
    createHook(args = {}) { return this._makeRequest({ method: "POST", path: "/hooks", ...args }); },
    deleteHook({ hookId, ...args }) { return this._makeRequest({ method: "DELETE", path: `/hooks/${hookId}`, ...args }); },
    async *paginate({ fn, args }) {
      for (let page = 0; ; page++) {
        const items = await fn({ ...args, params: { page } });
        if (!items.length) return;
        yield* items;
      }
    },$METHODS
  },
};
"#;
