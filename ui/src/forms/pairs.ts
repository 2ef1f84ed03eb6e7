/** A name with a value, as one row of a form. */
export type Pair = { name: string; value: string };
