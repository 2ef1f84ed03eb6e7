//! Valid components in all module forms. `$APP`, `$NEXT` (another app), `$KEY`, `$NAME` and `$VERSION` are placeholders.

#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    Webhook,
    Polling,
    CommonJs,
    TypeScript,
    SeveralFiles,
    WithOptions,
    WithJson,
    OtherApp,
    WithPackages,
    TypedAction,
}

impl Form {
    /// The component whose path sorts first.
    pub(super) const FIRST: Form = Form::OtherApp;
    pub(super) const ALL: [Form; 10] = [
        Form::Webhook,
        Form::Polling,
        Form::CommonJs,
        Form::TypeScript,
        Form::SeveralFiles,
        Form::WithOptions,
        Form::WithJson,
        Form::OtherApp,
        Form::WithPackages,
        Form::TypedAction,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Form::Webhook => "new-item-instant",
            Form::Polling => "new-item",
            Form::CommonJs => "item-deleted",
            Form::TypeScript => "item-updated",
            Form::SeveralFiles => "item-closed",
            Form::WithOptions => "create-item",
            Form::WithJson => "import-items",
            Form::OtherApp => "copy-item",
            Form::WithPackages => "upload-item",
            Form::TypedAction => "delete-item",
        }
    }

    pub(super) fn folder(self) -> &'static str {
        match self {
            Form::Webhook
            | Form::Polling
            | Form::CommonJs
            | Form::TypeScript
            | Form::SeveralFiles => "sources",
            Form::WithOptions
            | Form::WithJson
            | Form::OtherApp
            | Form::WithPackages
            | Form::TypedAction => "actions",
        }
    }

    pub(super) fn file_name(self) -> String {
        let extension = match self {
            Form::CommonJs => "js",
            Form::TypeScript | Form::TypedAction => "ts",
            _ => "mjs",
        };
        format!("{}.{extension}", self.name())
    }

    pub(super) fn text(self) -> &'static str {
        match self {
            Form::Webhook => WEBHOOK,
            Form::Polling => POLLING,
            Form::CommonJs => COMMON_JS,
            Form::TypeScript => TYPESCRIPT,
            Form::SeveralFiles => SEVERAL_FILES,
            Form::WithOptions => WITH_OPTIONS,
            Form::WithJson => WITH_JSON,
            Form::OtherApp => OTHER_APP,
            Form::WithPackages => WITH_PACKAGES,
            Form::TypedAction => TYPED_ACTION,
        }
    }

    /// Files in the same folder. The import skips those that are not components.
    pub(super) fn beside(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Form::Webhook => &[("test-event.mjs", TEST_EVENT)],
            Form::TypeScript => &[(
                "types.ts",
                "export interface Item { id: string; name?: string }\n",
            )],
            Form::SeveralFiles => &[
                (
                    "filter.mjs",
                    "import { STATES } from \"../../common/constants.mjs\";\nexport const isClosed = ({ state }) => state === STATES[1];\n",
                ),
                (
                    "common/wording.mjs",
                    "export default (item) => `Closed: ${item.name}`;\n",
                ),
            ],
            Form::WithJson => &[(
                "fields.json",
                "[{ \"label\": \"Name\", \"value\": \"name\" }, { \"label\": \"State\", \"value\": \"state\" }]",
            )],
            _ => &[],
        }
    }
}

const TEST_EVENT: &str = r#"
export default { id: "1", name: "An item", state: "open", key: "ITEM-1", version: 3, created_at: "2024-01-01T00:00:00Z" };
"#;

const WEBHOOK: &str = r#"
import base from "../common/base.mjs";
import sampleEmit from "./test-event.mjs";

export default {
  ...base,
  key: "$KEY",
  name: "New Item (Instant)",
  description: "Emit new event when an item is created. [See the documentation](https://$APP.example.com/docs)",
  version: "$VERSION",
  type: "source",
  dedupe: "unique",
  methods: { ...base.methods, getEvent() { return "item.created"; } },
  sampleEmit,
};
"#;

const POLLING: &str = r#"
import common from "../common/polling.mjs";

export default {
  ...common,
  key: "$KEY",
  name: "New Item",
  description: "Emit new event for each new item",
  version: "$VERSION",
  type: "source",
  dedupe: "greatest",
  props: { ...common.props, state: { propDefinition: [common.props.app, "state"] } },
};
"#;

const COMMON_JS: &str = r#"
const axios = require("axios");
const { get } = require("lodash");

const $APP = {
  type: "app",
  app: "$APP",
  methods: {
    async deleted() {
      const { api_key } = this.$auth;
      return get(await axios.get("https://api.$APP.example.com/deleted", { headers: { key: api_key } }), "data", []);
    },
  },
};

module.exports = {
  key: "$KEY",
  name: "Item Deleted",
  version: "$VERSION",
  props: { $APP, db: "$.service.db", timer: { type: "$.interface.timer", default: { intervalSeconds: 60 * 15 } } },
  dedupe: "unique",
  async run() {
    for (const item of await this.$APP.deleted()) this.$emit(item, { id: item.id });
  },
};
"#;

const TYPESCRIPT: &str = r#"
import { defineSource } from "@pipedream/types";
import app from "../../$APP.app.mjs";
import type { Item } from "./types";

const summarize = (item: Item): string => item.name ?? item.id;

export default defineSource({
  key: "$KEY",
  name: "Item Updated",
  description: "Emit new event when an item changes",
  version: "$VERSION",
  type: "source",
  props: {
    app,
    http: "$.interface.http",
    fields: { type: "string[]", label: "Fields", description: "Only these", optional: true },
  },
  async run({ body }: { body: Item }) {
    this.$emit(body, { id: body.id, summary: summarize(body) });
  },
});
"#;

const SEVERAL_FILES: &str = r#"
import base from "../common/base.mjs";
import { isClosed } from "./filter.mjs";
import wording from "./common/wording.mjs";

export default {
  ...base,
  key: "$KEY",
  name: "Item Closed",
  version: "$VERSION",
  type: "source",
  methods: { ...base.methods, getEvent: () => "item.updated" },
  async run({ body }) {
    if (isClosed(body)) this.$emit(body, { id: body.id, summary: wording(body) });
  },
};
"#;

const WITH_OPTIONS: &str = r#"
import app from "../../$APP.app.mjs";
import utils, { clean, parse } from "../../common/shared.mjs";

export default {
  key: "$KEY",
  name: "Create Item",
  description: "Creates an item",
  version: "$VERSION",
  type: "action",
  props: {
    app,
    itemId: { propDefinition: [app, "itemId"], label: "Parent", optional: true },
    state: { propDefinition: [app, "state"] },
    extra: { type: "object", label: "More", description: "Further fields", optional: true },
  },
  async run({ $ }) {
    const item = await this.app.operation1({ $, data: clean({ state: this.state, ...parse(this.extra) }) });
    $.export("$summary", `Created ${utils.nameOf(item)}`);
    return item;
  },
};
"#;

const WITH_JSON: &str = r#"
import app from "../../$APP.app.mjs";
import fields from "./fields.json" with { type: "json" };

export default {
  key: "$KEY",
  name: "Import Items",
  description: "Imports items from a list",
  version: "$VERSION",
  type: "action",
  props: { app, fields: { type: "string[]", label: "Fields", description: "To take", options: fields } },
  async run({ $ }) { return this.app.operation2({ $, data: { fields: this.fields } }); },
};
"#;

const OTHER_APP: &str = r#"
import app from "../../$APP.app.mjs";
import other from "@pipedream/$NEXT";
import { LIMIT } from "@pipedream/$NEXT/common/constants.mjs";

export default {
  key: "$KEY",
  name: "Copy Item",
  description: "Copies an item from one service to the other",
  version: "$VERSION",
  type: "action",
  props: {
    app,
    other,
    itemId: { propDefinition: [other, "itemId"] },
    most: { type: "integer", label: "Most", description: "At most so many", default: LIMIT },
  },
  async run({ $ }) { return this.app.operation3({ $, data: await this.other.operation4({ $, itemId: this.itemId }) }); },
};
"#;

const WITH_PACKAGES: &str = r#"
import fs from "fs";
import FormData from "form-data";
import { S3Client } from "@aws-sdk/client-s3";
import { v4 as uuid } from "uuid";
import * as cheerio from "cheerio";
import got from "got@13.0.0";
import app from "../../$APP.app.mjs";

const client = new S3Client({ region: "eu-central-1" });

export default {
  key: "$KEY",
  name: "Upload Item",
  description: "Uploads a file",
  version: "$VERSION",
  type: "action",
  props: { app, file: { type: "string", label: "File", description: "A path in `/tmp`" } },
  async run({ $ }) {
    const form = new FormData();
    form.append("file", fs.createReadStream(this.file), { filename: uuid() });
    await client.send(cheerio.load(await got("https://example.com").text()));
    return this.app.operation5({ $, data: form });
  },
};
"#;

const TYPED_ACTION: &str = r#"
import { defineAction } from "@pipedream/types";
import app from "../../$APP.app.mjs";

interface Options { $: any }

export default defineAction({
  key: "$KEY",
  name: "Delete Item",
  description: "Deletes an item",
  version: "$VERSION",
  type: "action",
  props: { app, itemId: { propDefinition: [app, "itemId"] } },
  async run({ $ }: Options): Promise<unknown> {
    return (this as any).app.operation6({ $, itemId: (this as any).itemId });
  },
});
"#;
