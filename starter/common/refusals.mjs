// Answers to requests that are not accepted. They emit nothing.

/** The request is not from the sender that it claims. */
export function refuse(http, reason) {
  return answer(http, 401, reason);
}

/** The request is from the right sender, and cannot be understood. */
export function rejectBadRequest(http, reason) {
  return answer(http, 400, reason);
}

async function answer(http, status, reason) {
  console.warn(`Request refused with ${status}: ${reason}`);
  await http.respond({ status, body: { error: reason } });
}
