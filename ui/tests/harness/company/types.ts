// The example company, without the code that creates it.
import type { Person } from '../server';

export type Company = {
  person: Person;
  /** Ids, by the names of the files. */
  sources: Record<string, string>;
  workflows: Record<string, string>;
  webhooks: Record<string, string>;
  /** Endpoints of the sources that have one. */
  endpoints: Record<string, string>;
  /** A run of the shipping workflow, and a delivery that the warehouse rejected. */
  run: string;
  delivery: string;
  close: () => Promise<void>;
};
