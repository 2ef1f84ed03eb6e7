import pg from "pg@8.23.1";
import { ConfigurationError } from "../../common/errors.mjs";

const { Client } = pg;
const CONNECT_TIMEOUT_MS = 10_000;

/** The prop for the address of a database. */
export const connectionProp = {
  type: "string",
  label: "Connection string",
  description:
    "Such as `postgres://user:password@host:5432/database?sslmode=require`. The server must be allowed to reach the address: `--allow-network` opens private ones.",
  secret: true,
};

/** Calls `use` with a connected client, and closes it afterwards. */
export async function withClient(connectionString, timeoutMs, use) {
  const url = URL.parse(connectionString);
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol)) {
    throw new ConfigurationError("Connection string must begin with postgres://");
  }
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: timeoutMs,
    query_timeout: timeoutMs + 1000,
    application_name: "sluice",
  });
  // An error outside of a query also fails the query.
  client.on("error", () => {});
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** The quoted form of a name in a statement. */
export function identifier(name, label) {
  const text = String(name ?? "").trim();
  if (text === "" || text.includes("\0"))
    throw new ConfigurationError(`${label} must be the name of a table or column`);
  return `"${text.replaceAll('"', '""')}"`;
}
