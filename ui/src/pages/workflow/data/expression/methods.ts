// The methods and functions that expressions use most. None of them changes the value that it is called on.

/** Names with a description for completion. */
type Methods = Record<string, string>;

const TEXT: Methods = {
  toUpperCase: 'The text in upper case',
  toLowerCase: 'The text in lower case',
  trim: 'The text without spaces around it',
  split: 'A list of the parts between separators',
  replace: 'The text with the first match replaced',
  replaceAll: 'The text with all matches replaced',
  includes: 'Whether the text has a part',
  startsWith: 'Whether the text begins with a part',
  endsWith: 'Whether the text ends with a part',
  indexOf: 'The position of a part, or -1',
  slice: 'The part between two positions',
  at: 'The character at a position; negative ones count from the end',
};
const LIST: Methods = {
  map: 'A list of what a function makes of each item',
  filter: 'The items for which a function returns true',
  find: 'The first item for which a function returns true',
  some: 'Whether a function returns true for an item',
  every: 'Whether a function returns true for all items',
  reduce: 'One value made of all items',
  join: 'The items as one text',
  includes: 'Whether an item is in the list',
  indexOf: 'The position of an item, or -1',
  slice: 'The items between two positions',
  concat: 'The list with further items',
  flat: 'The items of inner lists as one list',
  flatMap: 'The items of all lists that a function returns',
  at: 'The item at a position; negative ones count from the end',
};
const NUMBER: Methods = {
  toFixed: 'The number as text with fixed decimals',
  toString: 'The number as text',
};

/** The methods of a value, with descriptions. */
export function methodsOf(value: unknown): Methods {
  if (typeof value === 'string') return TEXT;
  if (typeof value === 'number') return NUMBER;
  return Array.isArray(value) ? LIST : {};
}

/** Functions that are not methods of a value, by the way they are written. */
export const FUNCTIONS: Record<string, (...values: never[]) => unknown> = {
  Number,
  String,
  Boolean,
  parseInt,
  parseFloat,
  encodeURIComponent,
  'Math.abs': Math.abs,
  'Math.ceil': Math.ceil,
  'Math.floor': Math.floor,
  'Math.max': Math.max,
  'Math.min': Math.min,
  'Math.round': Math.round,
  'Math.trunc': Math.trunc,
  'Object.keys': Object.keys,
  'Object.values': Object.values,
  'Object.entries': Object.entries,
  'Object.fromEntries': Object.fromEntries,
  'Array.isArray': Array.isArray,
  'Number.isInteger': Number.isInteger,
  'JSON.stringify': JSON.stringify,
  'JSON.parse': JSON.parse,
};
