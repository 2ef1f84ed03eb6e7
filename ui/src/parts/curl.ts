// Commands that send a request to an endpoint.

/** A curl command for the endpoint. */
export function curlOf(url: string): string {
  return `curl -X POST '${url}' \\\n  -H 'content-type: application/json' \\\n  -d '{"hello": "world"}'`;
}
