// The yardstick: what a bare handler does that parses the same body and answers it, and keeps nothing.

export default {
  async fetch(request) {
    const body = await request.json();
    return Response.json({ ok: true, fields: Object.keys(body).length });
  },
};
