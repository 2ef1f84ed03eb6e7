/** Numbers below this are seconds: in milliseconds they would be before April 1970. */
const FIRST_MS = 1e10;

/** Epoch milliseconds of a text or of a number of seconds or milliseconds; undefined if it is no time. */
export function timestamp(value) {
  if (value === undefined || value === null || value === "") return undefined;
  const number = Number(value);
  if (Number.isFinite(number) && typeof value !== "boolean") return number < FIRST_MS ? number * 1000 : number;
  const parsed = Date.parse(String(value));
  return Number.isNaN(parsed) ? undefined : parsed;
}
