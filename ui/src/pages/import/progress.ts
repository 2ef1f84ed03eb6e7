// The progress and the results of an import, added up from its steps. An archive can have many thousands of components, so only
// the broken ones are kept.
import type {
  CheckedApp,
  FailureReason,
  ImportedComponent,
  ImportOutcome,
  ImportStep,
  RemovedFile,
} from '../../api/imports';

export type Progress = {
  /** Missing until the archive is unpacked. */
  total: number | undefined;
  /** The id of an import that can be undone. */
  importId: string | undefined;
  counts: Record<ImportOutcome, number>;
  /** The number of files that are not components. */
  skipped: number;
  broken: ImportedComponent[];
  removed: RemovedFile[];
  /** The apps that a check found. */
  apps: CheckedApp[];
  end: { kind: 'finished' } | { kind: 'failed'; error: string } | undefined;
};

export function noProgress(): Progress {
  const counts = { registered: 0, updated: 0, unchanged: 0, failed: 0 };
  return {
    total: undefined,
    importId: undefined,
    counts,
    skipped: 0,
    broken: [],
    removed: [],
    apps: [],
    end: undefined,
  };
}

/** The progress after some more steps. Unknown steps are ignored. */
export function addSteps(before: Progress, steps: ImportStep[]): Progress {
  return steps.reduce(addStep, before);
}

function addStep(progress: Progress, step: ImportStep): Progress {
  switch (step.step) {
    case 'begun':
      return { ...progress, total: step.total, importId: step.import_id ?? undefined, skipped: step.skipped };
    case 'components':
      return addComponents(progress, step.components);
    case 'removed':
      return { ...progress, removed: [...progress.removed, ...step.files] };
    case 'apps':
      return { ...progress, apps: [...progress.apps, ...step.apps] };
    case 'finished':
      return { ...progress, end: { kind: 'finished' } };
    case 'failed':
      return { ...progress, end: { kind: 'failed', error: step.error } };
    default:
      return progress;
  }
}

function addComponents(progress: Progress, components: ImportedComponent[]): Progress {
  const counts = { ...progress.counts };
  for (const { outcome } of components) counts[outcome] += 1;
  const broken = components.filter(({ outcome }) => outcome === 'failed');
  return { ...progress, counts, broken: broken.length > 0 ? [...progress.broken, ...broken] : progress.broken };
}

/** The number of components with a result. */
export function doneOf({ counts }: Progress): number {
  return counts.registered + counts.updated + counts.unchanged + counts.failed;
}

export type BrokenGroup = { reason: FailureReason | 'other'; components: ImportedComponent[] };

/** Broken components by the step that failed, in the order of the steps. */
export function byReason(broken: ImportedComponent[]): BrokenGroup[] {
  const order = ['code', 'definition', 'key', 'packages', 'load', 'other'] as const;
  const reasonOf = ({ reason }: ImportedComponent) => order.find((known) => known === reason) ?? 'other';
  const groups = order.map((reason) => ({
    reason,
    components: broken.filter((component) => reasonOf(component) === reason),
  }));
  return groups.filter(({ components }) => components.length > 0);
}

type CodeError = NonNullable<ImportedComponent['errors']>[number];

/** "slack/actions/send/send.mjs:3:7"; undefined for an error of the component as a whole. */
export function positionOf(path: string, { file, line, column }: CodeError): string | undefined {
  if (!line) return file ?? undefined;
  return [file ?? path, line, column].filter(Boolean).join(':');
}
