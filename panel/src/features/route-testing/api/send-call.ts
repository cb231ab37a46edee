import { useMutation } from '@tanstack/react-query';
import { unreachable } from '../../../api/api-error.js';
import { readSession } from '../../../session/session-cookies.js';
import type { Call } from '../call.js';

export interface CallAnswer {
  status: number;
  statusText: string;
  /** From sending it to the last byte. */
  tookMs: number;
  headers: [string, string][];
  /** JSON is laid out in lines; null for what is no text. */
  text: string | null;
  bytes: Blob;
}

const isText = (type: string): boolean => /json|yaml|^text\//.test(type);

function laidOut(text: string, type: string): string {
  if (!type.includes('json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Shown as it came: what a route really answered is what somebody tests for.
    return text;
  }
}

/** Sends it as oneself. Whatever is answered, a refusal too, is what was asked for: only no answer at all is an error. */
async function sendCall({ method, path, headers, body, isPublic }: Call): Promise<CallAnswer> {
  const token = isPublic ? undefined : readSession(document.cookie)?.token;
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

export const useSendCall = () => useMutation({ mutationFn: sendCall, gcTime: 0 });
