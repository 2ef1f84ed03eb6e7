// A running import with its state.
import { type ImportRequest, importArchive } from '../../api/imports';
import { addSteps, doneOf, noProgress, type Progress } from './progress';

export type Phase = 'uploading' | 'importing' | 'finished' | 'failed' | 'stopped';

const CUT_OFF = 'The connection ended before the import did.';

export class ImportRun {
  readonly request: ImportRequest;
  phase = $state<Phase>('uploading');
  sent = $state(0);
  progress = $state.raw<Progress>(noProgress());
  error = $state.raw<unknown>();
  readonly running = $derived(this.phase === 'uploading' || this.phase === 'importing');
  readonly done = $derived(doneOf(this.progress));
  #stop = new AbortController();

  constructor(request: ImportRequest) {
    this.request = request;
  }

  /** Resolves when the import is over. */
  async start() {
    const { request } = this;
    try {
      await importArchive(
        request,
        {
          sent: (bytes) => {
            this.sent = bytes;
            if (bytes >= request.file.size) this.phase = 'importing';
          },
          steps: (steps) => {
            this.phase = 'importing';
            this.progress = addSteps(this.progress, steps);
          },
        },
        this.#stop.signal,
      );
      const { end } = this.progress;
      if (end?.kind !== 'finished') throw new Error(end ? sentence(end.error) : CUT_OFF);
      this.phase = 'finished';
    } catch (error) {
      this.error = error;
      this.phase = this.#stop.signal.aborted ? 'stopped' : 'failed';
    }
  }

  /** The server stops an import when its client disconnects. */
  stop() {
    this.#stop.abort();
  }

  /** Whether it ended before it began, so that nothing has changed. */
  get rejected(): boolean {
    return !this.running && this.progress.total === undefined;
  }
}

function sentence(text: string): string {
  const start = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}
