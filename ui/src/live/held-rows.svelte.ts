// The rows of a page that is refetched. While the user reads, they keep their places, and new ones are held.

type WithId = { id: string };

export type RowView<Row> = {
  /** The filter and position of the list. */
  page: string;
  rows: Row[];
  /** The number of new rows that are held. */
  pending: number;
  /** The number of shown rows that are gone. */
  gone: number;
};

/** Undefined rows are those of another page that is loaded. */
export type NewRows<Row> = { page: string; rows: Row[] | undefined; held: boolean };

/** The rows to show after a response. Another page replaces them. */
export function nextView<Row extends WithId>(view: RowView<Row>, { page, rows, held }: NewRows<Row>): RowView<Row> {
  if (!rows) return view;
  // In an empty list nothing is read.
  if (!held || page !== view.page || view.rows.length === 0) return { page, rows, pending: 0, gone: 0 };
  const newest = new Map(rows.map((row) => [row.id, row]));
  const shown = new Set(view.rows.map(({ id }) => id));
  const isNew = ({ id }: Row) => !shown.has(id);
  const end = rows.findLastIndex((row) => !isNew(row)) + 1;
  // Rows below move nothing. Without a shown row, all are above.
  const [above, below] = end === 0 ? [rows, []] : [rows.slice(0, end), rows.slice(end)];
  const pending = above.filter(isNew).length;
  // A list that loads more gets longer. A page gets other rows in place of those that are gone.
  const added = below.slice(0, Math.max(rows.length - view.rows.length, 0));
  return {
    page,
    // Rows that are gone stay as they were.
    rows: [...view.rows.map((row) => newest.get(row.id) ?? row), ...added],
    pending,
    gone: countGone(view.rows, newest, pending),
  };
}

/** Shown rows without those at the end that `pending` rows above moved to the next page. */
function countGone<Row extends WithId>(shown: Row[], newest: Map<string, Row>, pending: number): number {
  const gone = shown.filter(({ id }) => !newest.has(id)).length;
  const atEnd = shown.length - 1 - shown.findLastIndex(({ id }) => newest.has(id));
  return gone - Math.min(atEnd, pending);
}

export class HeldRows<Row extends WithId> {
  #input: () => NewRows<Row>;
  #last: RowView<Row> = { page: '', rows: [], pending: 0, gone: 0 };
  #requests = $state(0);
  #answered = 0;
  // It is derived, and not set by an effect, so that the list changes with what it depends on.
  #view = $derived.by(() => this.#next());

  constructor(input: () => NewRows<Row>) {
    this.#input = input;
  }

  get rows(): Row[] {
    return this.#view.rows;
  }

  get pending(): number {
    return this.#view.pending;
  }

  get gone(): number {
    return this.#view.gone;
  }

  /** Shows the newest rows. */
  show() {
    this.#requests += 1;
  }

  #next(): RowView<Row> {
    const input = this.#input();
    const held = input.held && this.#requests === this.#answered;
    this.#answered = this.#requests;
    this.#last = nextView(this.#last, { ...input, held });
    return this.#last;
  }
}
