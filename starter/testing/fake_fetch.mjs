// A replacement of `fetch` for tests, whose components cannot reach a server.

/** Calls `answer(url, request)` for each request while `use` runs. Returns the requests. */
export async function withFetch(answer, use) {
  const real = globalThis.fetch;
  const requests = [];
  globalThis.fetch = async (url, { method = "GET", headers, body, signal } = {}) => {
    const request = { url: String(url), method, headers: Object.fromEntries(new Headers(headers)), body, signal };
    requests.push(request);
    return answer(request.url, request);
  };
  try {
    await use();
  } finally {
    globalThis.fetch = real;
  }
  return requests;
}
