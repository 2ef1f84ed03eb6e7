// Checks of signed requests.

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { ConfigurationError } from "./errors.mjs";

/** The bytes of a request's body, exactly as they were sent. */
export function rawBody({ bodyRaw = "", isBase64 }) {
  return isBase64 ? Buffer.from(bodyRaw, "base64") : Buffer.from(bodyRaw, "utf8");
}

/** Compares secrets in a time that does not depend on their contents or lengths. */
export function isSame(a, b) {
  const digest = (text) => createHash("sha256").update(String(text)).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** HMAC-SHA256 over the parts, as `hex` or `base64`. Everyone knows an empty key, so it is an error. */
export function hmac(key, encoding, ...parts) {
  if (!key?.length) throw new ConfigurationError("The secret must not be empty");
  const hash = createHmac("sha256", key);
  for (const part of parts) hash.update(part);
  return hash.digest(encoding);
}

/** Whether a time in seconds is within `tolerance` seconds of now. */
export function isRecent(seconds, tolerance) {
  const time = /^\d{1,12}$/.test(String(seconds)) ? Number(seconds) : Number.NaN;
  return Math.abs(Date.now() / 1000 - time) <= tolerance;
}

/** The prop for the time that a signed request is valid. */
export const toleranceProp = {
  type: "integer",
  label: "Time window (seconds)",
  description: "A request whose timestamp is further away from the current time is refused. This stops replays.",
  default: 300,
  min: 1,
  max: 3600,
};
