/** A name-value pair, one row of a form. */
export type Pair = { name: string; value: string };
