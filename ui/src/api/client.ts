// Talking to the server: typed by what /openapi.json says, with failures in words.
import createClient, { type Middleware } from 'openapi-fetch';
import type { components, paths } from './schema';

type ErrorBody = components['schemas']['ErrorBody'];

/** What the server refused or could not do. `details` names fields, or lines of code. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly body: ErrorBody | undefined;

  constructor(status: number, body: ErrorBody | undefined, message: string) {
    super(message);
    this.name = 'ApiFailure';
    this.status = status;
    this.body = body;
  }

  get details(): NonNullable<ErrorBody['details']> {
    return this.body?.details ?? {};
  }
}

/** Whether the server answered that there is no such thing, or not any more. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiFailure && error.status === 404;
}

/** The server did not answer at all. */
export class Unreachable extends Error {
  constructor() {
    super('The server cannot be reached.');
    this.name = 'Unreachable';
  }
}

let signedOut = () => {};
/** Called when the server no longer knows who is asking. */
export function onSignedOut(handler: () => void) {
  signedOut = handler;
}

// A refusal says nothing about who has signed in since its request was sent.
let signIns = 0;
const sentAfter = new WeakMap<Request, number>();

const sessionWatch: Middleware = {
  onRequest({ request }) {
    sentAfter.set(request, signIns);
    // A page of another site cannot send this header, which is what the server looks for.
    request.headers.set('x-sluice-console', '1');
    return request;
  },
  onResponse({ request, response }) {
    if (new URL(request.url).pathname.endsWith('/session')) {
      if (request.method === 'POST' && response.ok) signIns += 1;
    } else if (response.status === 401 && sentAfter.get(request) === signIns) signedOut();
  },
  onError() {
    return new Unreachable();
  },
};

export const api = createClient<paths>({ baseUrl: location.origin, credentials: 'same-origin' });
api.use(sessionWatch);

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The body of a success; a failure is thrown. */
export async function body<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer;
  if (!response.ok) throw failure(response, error);
  return data as T;
}

/** What is in the envelope `{data: …}` of a success; a failure is thrown. */
export async function data<T extends { data: unknown }>(answer: Promise<Answer<T>>): Promise<T['data']> {
  return (await body(answer)).data;
}

function failure(response: Response, error: unknown): ApiFailure {
  const known = isErrorBody(error) ? error : undefined;
  const words = known ? sentence(known.error) : `The server answered ${response.status}.`;
  return new ApiFailure(response.status, known, words);
}

function isErrorBody(value: unknown): value is ErrorBody {
  return typeof value === 'object' && value !== null && typeof (value as ErrorBody).error === 'string';
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
