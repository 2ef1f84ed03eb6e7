// Selects names such as `issues` or `invoice.paid`. A pattern may end in `*`.

/** Whether a name matches one of the patterns. Without patterns every name does. */
export function isSelected(name, patterns) {
  const wanted = (patterns ?? []).map((pattern) => String(pattern).trim()).filter((pattern) => pattern !== "");
  return wanted.length === 0 || wanted.some((pattern) => matches(String(name), pattern));
}

function matches(name, pattern) {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
