// Keys of stored values, limited to what every database can index.

const MAX_KEY_BYTES = 2000;
const encoder = new TextEncoder();

/** Returns the key as text, or throws an error that explains why it is invalid. */
export function storeKey(key) {
  const name = String(key);
  if (name.includes("\0") || !name.isWellFormed()) {
    throw new TypeError("a key of the store must be well-formed text without NUL");
  }
  if (byteLength(name) > MAX_KEY_BYTES) {
    throw new RangeError(`a key of the store must be at most ${MAX_KEY_BYTES} bytes long`);
  }
  return name;
}

export function byteLength(text) {
  return encoder.encode(text).length;
}
