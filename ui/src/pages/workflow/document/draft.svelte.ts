// The draft of a workflow: document, files and values for secrets.

export type DraftFile = { path: string; text: string };
export type WorkflowContent = { document: string; files: Record<string, string> };

/** The body of `POST` and `PUT`. If only secrets changed, they are sent alone and create no version. */
export type DeployBody = { document?: string; files?: Record<string, string>; secrets?: Record<string, string> };

export class Draft {
  document = $state('');
  files = $state<DraftFile[]>([]);
  /** Entered values. Stored values are never shown. */
  secrets = $state<Record<string, string>>({});
  #saved = $state.raw<WorkflowContent | undefined>();

  readonly enteredSecrets = $derived(
    Object.fromEntries(Object.entries(this.secrets).filter(([, value]) => value !== '')),
  );
  readonly changed = $derived(
    this.#saved === undefined ||
      this.document !== this.#saved.document ||
      !sameFiles(filesOf(this.files), this.#saved.files),
  );
  readonly unsaved = $derived(
    Object.keys(this.enteredSecrets).length > 0 || (this.changed && (this.#saved !== undefined || this.#touched())),
  );
  #example = '';

  /** Starts with the deployed version. */
  load({ document, files }: WorkflowContent) {
    this.document = document;
    this.files = Object.entries(files).map(([path, text]) => ({ path, text }));
    this.secrets = {};
    this.#saved = { document, files };
  }

  /** Starts with an example. An unchanged example is not an unsaved change. */
  start(example: string) {
    this.document = example;
    this.#example = example;
  }

  /** Marks the current state as deployed. */
  markDeployed() {
    this.#saved = { document: this.document, files: filesOf(this.files) };
    this.secrets = {};
  }

  body(declared: string[]): DeployBody {
    // The server rejects values for secrets that are no longer declared.
    const secrets = Object.fromEntries(Object.entries(this.enteredSecrets).filter(([name]) => declared.includes(name)));
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
