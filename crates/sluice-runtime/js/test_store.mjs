// A data store in memory: answers what a component asks of the one that a prop names.

export class MemoryStore {
  /** `values` are what it holds, for the test to see. */
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

  /** Nothing is old enough to go while a test runs. */
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
