// Requests as an HTTP source gets them.

export function jsonRequest(body, headers = {}, path = "/") {
  const bodyRaw = typeof body === "string" ? body : JSON.stringify(body);
  return {
    method: "POST",
    path,
    query: {},
    headers: { "content-type": "application/json", ...headers },
    bodyRaw,
    body: JSON.parse(bodyRaw),
  };
}

export function formRequest(fields, headers = {}, path = "/") {
  const type = "application/x-www-form-urlencoded";
  const bodyRaw = new URLSearchParams(fields).toString();
  return { method: "POST", path, query: {}, headers: { "content-type": type, ...headers }, bodyRaw, body: fields };
}
