import { firstItems } from "../../../common/new_items.mjs";
import { timestamp } from "../../../common/times.mjs";
import { connectionProp, identifier, withClient } from "../../common/connection.mjs";

const TIMEOUT_MS = 20_000;
const CURSOR = "sluice_cursor";
const CURSOR_ID = "sluice_cursor_id";

export default {
  key: "postgresql-rows",
  name: "PostgreSQL rows",
  description:
    "Emits new rows of a table or view in PostgreSQL. It reads rows whose order column is greater than that of the last emitted row, such as a serial id or a time of creation or change.\n\nA row that is committed after rows with greater values were read is missed. Choose a column whose values are committed in order, if that matters.",
  version: "1.0.0",
  type: "source",
  props: {
    connectionString: connectionProp,
    schema: { type: "string", label: "Schema", default: "public" },
    table: { type: "string", label: "Table", description: "The name of a table or view." },
    column: {
      type: "string",
      label: "Order column",
      description: "A column that grows with each new row, such as `id` or `updated_at`.",
    },
    idColumn: {
      type: "string",
      label: "Id column",
      description: "A unique column. Set it if several rows can have the same value in the order column.",
      optional: true,
    },
    columns: {
      type: "string[]",
      label: "Columns",
      description: "The columns to emit. Leave empty to emit all columns.",
      optional: true,
    },
    maxRows: {
      type: "integer",
      label: "Maximum number of rows",
      description: "The number of rows that one run emits. Further rows follow in the next run.",
      default: 500,
      min: 1,
      max: 5000,
    },
    initialItems: firstItems("rows"),
    timer: {
      type: "$.interface.timer",
      label: "Schedule",
      description: "How often the table is read.",
      default: { intervalSeconds: 5 * 60 },
    },
    db: "$.service.db",
  },
  async run() {
    const position = this.position();
    const query = position === undefined ? this.firstQuery() : this.nextQuery(position);
    const rows = await withClient(this.connectionString, TIMEOUT_MS, async (client) => {
      await client.query("BEGIN TRANSACTION READ ONLY");
      return (await client.query(query)).rows;
    });
    // The first query reads the newest rows first.
    const ordered = position === undefined ? rows.reverse() : rows;
    const emitted = position === undefined ? ordered.slice(ordered.length - this.initialItems) : ordered;
    for (const row of emitted) this.emitRow(row);
    this.remember(ordered.at(-1), position);
  },
  methods: {
    names() {
      const order = identifier(this.column, "Order column");
      return {
        table: `${identifier(this.schema, "Schema")}.${identifier(this.table, "Table")}`,
        order,
        // Without an id column the order column alone decides.
        id: this.idColumn ? identifier(this.idColumn, "Id column") : order,
        listed: this.columns?.length ? this.columns.map((name) => identifier(name, "Columns")).join(", ") : "*",
      };
    },
    select() {
      const { table, order, id, listed } = this.names();
      return `SELECT ${listed}, ${order}::text AS ${CURSOR}, ${id}::text AS ${CURSOR_ID} FROM ${table}`;
    },
    firstQuery() {
      const { order, id } = this.names();
      const limit = Math.max(this.initialItems, 1);
      const text = `${this.select()} WHERE ${order} IS NOT NULL ORDER BY ${order} DESC, ${id} DESC LIMIT $1`;
      return { text, values: [limit] };
    },
    nextQuery({ value, id: lastId }) {
      const { order, id } = this.names();
      if (value === null) {
        const text = `${this.select()} WHERE ${order} IS NOT NULL ORDER BY ${order}, ${id} LIMIT $1`;
        return { text, values: [this.maxRows] };
      }
      const text = `${this.select()} WHERE (${order}, ${id}) > ($1, $2) ORDER BY ${order}, ${id} LIMIT $3`;
      return { text, values: [value, lastId, this.maxRows] };
    },
    /** The last row that was read, unless the configuration has changed since. */
    position() {
      const stored = this.db.get("position");
      return stored?.columns === this.positionColumns() ? stored : undefined;
    },
    positionColumns() {
      const { table, order, id } = this.names();
      return [table, order, id].join(" ");
    },
    // A table that was empty at the first run has the position null: then all of its rows are new.
    remember(last, position) {
      if (last === undefined && position !== undefined) return;
      const { [CURSOR]: value = null, [CURSOR_ID]: id = null } = last ?? {};
      this.db.set("position", { columns: this.positionColumns(), value, id });
    },
    emitRow({ [CURSOR]: value, [CURSOR_ID]: id, ...row }) {
      const time = /^\d{4}-\d\d-\d\d/.test(value) ? timestamp(value) : undefined;
      this.$emit(row, { id: value === id ? value : `${value} ${id}`, summary: `${this.table} ${id}`, ts: time });
    },
  },
};
