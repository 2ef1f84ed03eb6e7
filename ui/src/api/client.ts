// The API client, typed by docs/openapi.json. Unsuccessful responses are thrown as `ApiError`.
import createClient, { type Middleware } from 'openapi-fetch';
import { ApiError, type ErrorBody, Unreachable } from './errors';
import type { paths } from './schema';

let signedOut = () => {};
/** Called when the session has ended. */
export function onSignedOut(handler: () => void) {
  signedOut = handler;
}

// A 401 for a request sent before the latest sign-in says nothing about the new session.
let signIns = 0;
const sentAfter = new WeakMap<Request, number>();

const sessionMiddleware: Middleware = {
  onRequest({ request }) {
    sentAfter.set(request, signIns);
    // The server requires this header against cross-site requests. Other sites cannot send it.
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
api.use(sessionMiddleware);

type ApiResponse<T> = { data?: T; error?: unknown; response: Response };

/** The body of a successful response. Throws `ApiError` otherwise. */
export async function body<T>(request: Promise<ApiResponse<T>>): Promise<T> {
  const { data, error, response } = await request;
  if (!response.ok) throw responseError(response.status, error);
  return data as T;
}

/** The content of the envelope `{data: …}`. Throws `ApiError` otherwise. */
export async function data<T extends { data: unknown }>(request: Promise<ApiResponse<T>>): Promise<T['data']> {
  return (await body(request)).data;
}

/** The error of an unsuccessful response. */
export function responseError(status: number, error: unknown): ApiError {
  const body = isErrorBody(error) ? error : undefined;
  const message = body ? capitalized(body.error) : `The server answered ${status}.`;
  return new ApiError(status, body, message);
}

function isErrorBody(value: unknown): value is ErrorBody {
  return typeof value === 'object' && value !== null && typeof (value as ErrorBody).error === 'string';
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
