// Errors of API requests.
import type { components } from './schema';

export type ErrorBody = components['schemas']['ErrorBody'];

/** An error response. `details` lists errors by field. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: ErrorBody | undefined;

  constructor(status: number, body: ErrorBody | undefined, message: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.body = body;
  }

  get details(): NonNullable<ErrorBody['details']> {
    return this.body?.details ?? {};
  }
}

/** Whether the server answered 404. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** The request got no response. */
export class Unreachable extends Error {
  constructor() {
    super('The server cannot be reached.');
    this.name = 'Unreachable';
  }
}
