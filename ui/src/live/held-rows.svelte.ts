// The rows of a page that is refetched. While the user reads, they keep their places, and new ones are held.

type WithId = { id: string };

export type RowView<Row> = {
  /** The filter and position of the list. */
  page: string;
  rows: Row[];
  /** The number of new rows that are held. */
  pending: number;
};

/** Undefined rows are those of another page that is loaded. */
export type NewRows<Row> = { page: string; rows: Row[] | undefined; held: boolean };

/** The rows to show after a response. Another page replaces them. */
export function nextView<Row extends WithId>(view: RowView<Row>, { page, rows, held }: NewRows<Row>): RowView<Row> {
  if (!rows) return view;
  if (!held || page !== view.page) return { page, rows, pending: 0 };
  const newest = new Map(rows.map((row) => [row.id, row]));
  const shown = new Set(view.rows.map(({ id }) => id));
  return {
    page,
    // Rows that left the page stay as they were.
    rows: view.rows.map((row) => newest.get(row.id) ?? row),
    pending: rows.filter(({ id }) => !shown.has(id)).length,
  };
}

export class HeldRows<Row extends WithId> {
  #input: () => NewRows<Row>;
  #last: RowView<Row> = { page: '', rows: [], pending: 0 };
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
