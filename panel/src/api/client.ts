import type { paths } from '@trawl/client';
import createClient, { type Middleware } from 'openapi-fetch';
import { readSession } from '../session/session-cookies.js';
import { endSession } from '../session/session-end.js';
import { toApiError, unreachable } from './api-error.js';
import { saveFile } from './save-file.js';

const authorise: Middleware = {
  onRequest({ request }) {
    const session = readSession(document.cookie);
    if (session) request.headers.set('Authorization', `Bearer ${session.token}`);
    return request;
  },
};

export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: request => fetch(request) });
api.use(authorise);

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/**
 * Resolves with the response body if the call succeeded; otherwise throws an `ApiError`. Status 401 also signs the user
 * out of the panel.
 */
export async function unwrap<T>(call: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await call;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw unreachable();
  }
  const { data, error, response } = answer;
  if (response.ok) return data as T;
  if (response.status === 401) endSession();
  throw toApiError(error, response.status);
}

/** Downloads a file with the session's token and saves it as `filename`. */
export async function download(path: string, filename: string): Promise<void> {
  const session = readSession(document.cookie);
  const response = await fetch(path, { headers: { Authorization: `Bearer ${session?.token ?? ''}` } }).catch(() => {
    throw unreachable();
  });
  if (response.status === 401) endSession();
  if (!response.ok) throw toApiError(await response.json().catch(() => null), response.status);
  saveFile(await response.blob(), filename);
}
