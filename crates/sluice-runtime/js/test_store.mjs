// A data store in memory, which answers the questions of a component in a test.

export class MemoryStore {
  /** The test can read `values`. */
  constructor(name, values = {}) {
    this.name = name;
    this.values = { ...values };
  }

  get({ key }) {
    return this.has({ key }) ? [this.values[key]] : [];
  }

  set({ key, value }) {
    this.values[key] = value;
    return null;
  }

  has({ key }) {
    return Object.hasOwn(this.values, key);
  }

  delete({ key }) {
    const had = this.has({ key });
    delete this.values[key];
    return had;
  }

  clear() {
    for (const key of Object.keys(this.values)) delete this.values[key];
    return null;
  }

  /** Keys do not expire during a test. */
  set_ttl({ key }) {
    return this.has({ key });
  }

  keys({ after }) {
    return Object.keys(this.values)
      .sort()
      .filter((key) => key > after);
  }

  entries({ after }) {
    return this.keys({ after }).map((key) => [key, this.values[key]]);
  }
}
