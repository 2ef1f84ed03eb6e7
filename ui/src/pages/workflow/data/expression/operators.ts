// The operators of JavaScript that have no effects.

type Any = never;
type Binary = (a: Any, b: Any) => unknown;

export const BINARY: Record<string, Binary> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '**': (a, b) => a ** b,
  // biome-ignore lint/suspicious/noDoubleEquals: it is the operator of the expression.
  '==': (a, b) => a == b,
  // biome-ignore lint/suspicious/noDoubleEquals: it is the operator of the expression.
  '!=': (a, b) => a != b,
  '===': (a, b) => a === b,
  '!==': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

export const UNARY: Record<string, (value: Any) => unknown> = {
  '!': (value) => !value,
  '-': (value) => -value,
  '+': (value) => +value,
  typeof: (value) => typeof value,
};

/** Whether the right side of an operator is needed, after its left side. */
export const LOGICAL: Record<string, (left: unknown) => boolean> = {
  '&&': (left) => Boolean(left),
  '||': (left) => !left,
  '??': (left) => left === null || left === undefined,
};
