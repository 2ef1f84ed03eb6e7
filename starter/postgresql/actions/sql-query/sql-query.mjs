import { ConfigurationError } from "../../../common/errors.mjs";
import { connectionProp, withClient } from "../../common/connection.mjs";

export default {
  key: "sql-query",
  name: "SQL query",
  description:
    "Runs a statement in PostgreSQL and returns its rows. Values are passed as parameters, apart from the statement.",
  version: "1.0.0",
  type: "action",
  props: {
    connectionString: connectionProp,
    query: {
      type: "string",
      label: "Statement",
      description:
        "Such as `SELECT * FROM orders WHERE id = $1`. Use parameters for values of events, and never put them into the statement.",
    },
    params: {
      type: "any",
      label: "Parameters",
      description: "A list with the values of `$1`, `$2` and so on. Objects and lists are passed as JSON.",
      optional: true,
    },
    maxRows: {
      type: "integer",
      label: "Maximum number of rows",
      description: "Further rows are left out, and `truncated` is true.",
      default: 1000,
      min: 1,
      max: 10_000,
      optional: true,
    },
    timeout: { type: "integer", label: "Time limit (seconds)", default: 20, min: 1, max: 300, optional: true },
  },
  async run({ $ }) {
    const values = parameters(this.params);
    const timeoutMs = (this.timeout ?? 20) * 1000;
    const result = await withClient(this.connectionString, timeoutMs, (client) =>
      client.query({ text: this.query, values }),
    );
    const { rows, rowCount, command } = Array.isArray(result) ? result.at(-1) : result;
    const kept = rows.slice(0, this.maxRows ?? 1000);
    $.export("$summary", `${command}: ${rowCount ?? rows.length} rows`);
    return { rows: kept, row_count: rowCount, command, truncated: kept.length < rows.length };
  },
};

function parameters(given) {
  const values = typeof given === "string" ? parsed(given) : (given ?? []);
  if (!Array.isArray(values)) throw new ConfigurationError('Parameters must be a list, such as [42, "paid"]');
  return values.map((value) => (value !== null && typeof value === "object" ? JSON.stringify(value) : value));
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
