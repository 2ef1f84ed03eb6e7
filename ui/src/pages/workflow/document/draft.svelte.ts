// A document while it is worked on, with the files that its steps name and values for its secrets.

export type DraftFile = { path: string; text: string };
export type Deployed = { document: string; files: Record<string, string> };

/** What `POST` and `PUT` take. Where nothing but secrets has changed, they go alone and make no version. */
export type DeployBody = { document?: string; files?: Record<string, string>; secrets?: Record<string, string> };

export class Draft {
  document = $state('');
  files = $state<DraftFile[]>([]);
  /** Values that were typed; what the server has is never shown. */
  secrets = $state<Record<string, string>>({});
  #saved = $state.raw<Deployed | undefined>();

  readonly typedSecrets = $derived(
    Object.fromEntries(Object.entries(this.secrets).filter(([, value]) => value !== '')),
  );
  readonly changed = $derived(
    this.#saved === undefined ||
      this.document !== this.#saved.document ||
      !sameFiles(filesOf(this.files), this.#saved.files),
  );
  readonly unsaved = $derived(
    Object.keys(this.typedSecrets).length > 0 || (this.changed && (this.#saved !== undefined || this.#touched())),
  );
  #example = '';

  /** Begins with what is deployed. */
  take({ document, files }: Deployed) {
    this.document = document;
    this.files = Object.entries(files).map(([path, text]) => ({ path, text }));
    this.secrets = {};
    this.#saved = { document, files };
  }

  /** Begins with an example, of which nothing is lost when somebody leaves. */
  begin(example: string) {
    this.document = example;
    this.#example = example;
  }

  /** What it is now is what is deployed. */
  settle() {
    this.#saved = { document: this.document, files: filesOf(this.files) };
    this.secrets = {};
  }

  body(declared: string[]): DeployBody {
    // A value that was typed for a name that is gone since would be refused.
    const secrets = Object.fromEntries(Object.entries(this.typedSecrets).filter(([name]) => declared.includes(name)));
    return this.changed ? { document: this.document, files: filesOf(this.files), secrets } : { secrets };
  }

  #touched(): boolean {
    return this.document !== this.#example || this.files.length > 0;
  }
}

function filesOf(files: DraftFile[]): Record<string, string> {
  return Object.fromEntries(files.map(({ path, text }) => [path, text]));
}

function sameFiles(one: Record<string, string>, other: Record<string, string>): boolean {
  const paths = Object.keys(one);
  return paths.length === Object.keys(other).length && paths.every((path) => one[path] === other[path]);
}
