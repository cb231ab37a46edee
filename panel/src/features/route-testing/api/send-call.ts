import { useMutation } from '@tanstack/react-query';
import { unreachable } from '../../../api/api-error.js';
import { readSession } from '../../../session/session-cookies.js';
import type { Call } from '../call.js';

export interface CallAnswer {
  status: number;
  statusText: string;
  /** Time from sending the request to the last byte of the response, in ms. */
  tookMs: number;
  headers: [string, string][];
  /** Body of the response as text, with JSON indented; null if the body is binary. */
  text: string | null;
  bytes: Blob;
}

const isText = (type: string): boolean => /json|yaml|^text\//.test(type);

function laidOut(text: string, type: string): string {
  if (!type.includes('json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Invalid JSON is shown unchanged.
    return text;
  }
}

interface Sending {
  call: Call;
  /** An API key; '' for the token of the user's session. */
  apiKey: string;
}

/**
 * Sends the request with an API key or the token of the user's session, unless the route is public. Resolves with the
 * response, also if its status is an error. Rejects if there is no response.
 */
async function sendCall({ call: { method, path, headers, body, isPublic }, apiKey }: Sending): Promise<CallAnswer> {
  const token = isPublic ? undefined : apiKey || readSession(document.cookie)?.token;
  const begin = performance.now();
  try {
    const response = await fetch(path, {
      method,
      headers: { ...headers, ...(token && { Authorization: `Bearer ${token}` }) },
      body,
    });
    const bytes = await response.blob();
    const tookMs = performance.now() - begin;
    const type = response.headers.get('content-type') ?? '';
    return {
      status: response.status,
      statusText: response.statusText,
      tookMs,
      headers: [...response.headers],
      text: isText(type) ? laidOut(await bytes.text(), type) : null,
      bytes,
    };
  } catch {
    throw unreachable();
  }
}

export const useSendCall = () => useMutation({ mutationFn: sendCall });
