// Conditions on values.

import { ConfigurationError } from "../../common/errors.mjs";
import { canonical } from "../../common/hash.mjs";
import { timestamp } from "../../common/times.mjs";

/** Operators by name, each with its label. `b` is the value to compare with. */
const OPERATORS = {
  equals: { label: "equals", test: (a, b) => isEqual(a, b) },
  "not-equals": { label: "does not equal", test: (a, b) => !isEqual(a, b) },
  contains: { label: "contains", test: (a, b) => contains(a, b) },
  "not-contains": { label: "does not contain", test: (a, b) => !contains(a, b) },
  "starts-with": { label: "starts with", test: (a, b) => text(a).startsWith(text(b)) },
  "ends-with": { label: "ends with", test: (a, b) => text(a).endsWith(text(b)) },
  matches: { label: "matches the regular expression", test: (a, b) => expression(b).test(text(a)) },
  "greater-than": { label: "is greater than", test: (a, b) => compare(a, b) > 0 },
  "at-least": { label: "is at least", test: (a, b) => compare(a, b) >= 0 },
  "less-than": { label: "is less than", test: (a, b) => compare(a, b) < 0 },
  "at-most": { label: "is at most", test: (a, b) => compare(a, b) <= 0 },
  "one-of": { label: "is one of", test: (a, b) => list(b).some((one) => isEqual(a, one)) },
  "is-empty": { label: "is empty", test: (a) => isEmpty(a) },
  "is-not-empty": { label: "is not empty", test: (a) => !isEmpty(a) },
  "is-true": { label: "is true", test: (a) => a === true || a === "true" },
  "is-false": { label: "is false", test: (a) => a === false || a === "false" },
};

export const OPERATOR_OPTIONS = Object.entries(OPERATORS).map(([value, { label }]) => ({ label, value }));

/** Whether a condition `{value, operator, other}` holds. */
export function holds({ value, operator, other }) {
  const known = Object.hasOwn(OPERATORS, operator ?? "") ? OPERATORS[operator] : undefined;
  if (known === undefined) throw new ConfigurationError(`There is no operator "${operator}"`);
  return known.test(value, other);
}

/** The condition as a text. */
export function described({ value, operator, other }) {
  const needsOther = OPERATORS[operator].test.length > 1;
  return [excerpt(value), OPERATORS[operator].label, ...(needsOther ? [excerpt(other)] : [])].join(" ");
}

// Values of forms are texts, so 5 equals "5".
function isEqual(a, b) {
  const isObject = (value) => value !== null && typeof value === "object";
  return isObject(a) || isObject(b) ? canonical(a) === canonical(b) : text(a) === text(b);
}

function contains(a, b) {
  if (Array.isArray(a)) return a.some((one) => isEqual(one, b));
  if (a !== null && typeof a === "object") return Object.hasOwn(a, text(b));
  return text(a).includes(text(b));
}

// Numbers, then times, then texts. Without a value nothing is greater or less.
function compare(a, b) {
  if (isEmpty(a) || isEmpty(b)) return Number.NaN;
  const numbers = [Number(a), Number(b)];
  if (numbers.every(Number.isFinite)) return numbers[0] - numbers[1];
  const [first, second] = [timestamp(a), timestamp(b)];
  if (first !== undefined && second !== undefined) return first - second;
  return text(a) < text(b) ? -1 : Number(text(a) > text(b));
}

function list(value) {
  return Array.isArray(value)
    ? value
    : text(value)
        .split(",")
        .map((part) => part.trim());
}

function isEmpty(value) {
  if (value === undefined || value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function expression(pattern) {
  try {
    return new RegExp(text(pattern), "u");
  } catch (error) {
    throw new ConfigurationError(`"${pattern}" is not a regular expression: ${error.message}`);
  }
}

function text(value) {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function excerpt(value) {
  return (JSON.stringify(value) ?? "nothing").slice(0, 60);
}
