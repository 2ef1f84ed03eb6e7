// Imports of archives into the registry. The upload needs `XMLHttpRequest`: `fetch` does not report the progress of an upload.
import { responseError } from './client';
import { Unreachable } from './errors';
import { jsonLines } from './json-lines';
import type { components } from './schema';

type Schemas = components['schemas'];

export type Import = Schemas['Import'];
export type UndoneImport = Schemas['UndoneImport'];
export type ImportOutcome = Schemas['ImportOutcome'];
export type FailureReason = Schemas['FailureReason'];
export type ImportedComponent = Schemas['ImportedComponent'];
export type RemovedFile = Schemas['RemovedFile'];
export type CheckedApp = Schemas['CheckedApp'];
/** A line of the response. */
export type ImportStep = Schemas['ImportProgress'];

const PATH = '/v1/components/registry/imports';

/** An archive with its options. A check registers nothing. */
export type ImportRequest = { file: File; tree: string; check: boolean; prune: boolean };
export type ImportEvents = { sent: (bytes: number) => void; steps: (steps: ImportStep[]) => void };

/** Uploads an archive and reports the steps of its import. Resolves at the end of the response. An abort stops the import. */
export function importArchive(request: ImportRequest, events: ImportEvents, signal: AbortSignal): Promise<void> {
  const xhr = new XMLHttpRequest();
  const parse = jsonLines<ImportStep>();
  let read = 0;
  const take = () => {
    const text = xhr.responseText;
    const steps = parse(text.slice(read));
    read = text.length;
    if (steps.length > 0) events.steps(steps);
  };
  return new Promise((resolve, reject) => {
    /** An exception in a handler ends the request. */
    const guarded = (handler: () => void) => () => {
      try {
        handler();
      } catch (error) {
        reject(error);
        xhr.abort();
      }
    };
    xhr.upload.onprogress = ({ loaded }) => events.sent(loaded);
    xhr.onprogress = guarded(() => xhr.status === 200 && take());
    xhr.onload = guarded(() => {
      if (xhr.status !== 200) throw responseError(xhr.status, parsed(xhr.responseText));
      take();
      resolve();
    });
    xhr.onerror = () => reject(new Unreachable());
    xhr.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => xhr.abort());
    xhr.open('POST', `${PATH}?${query(request)}`);
    xhr.setRequestHeader('content-type', 'application/x-tar');
    xhr.setRequestHeader('x-sluice-console', '1');
    xhr.send(request.file);
  });
}

function query({ tree, check, prune }: ImportRequest): URLSearchParams {
  return new URLSearchParams({ tree, mode: check ? 'check' : 'import', prune: String(prune && !check) });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
