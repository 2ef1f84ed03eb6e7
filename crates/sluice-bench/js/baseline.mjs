// The baseline: a bare handler that parses the same body and responds to it, and stores nothing.

export default {
  async fetch(request) {
    const body = await request.json();
    return Response.json({ ok: true, fields: Object.keys(body).length });
  },
};
