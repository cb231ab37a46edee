import type { RequestHandler } from '../browser/request-interception.js';
import { PageRecorder } from './page-requests.js';
import { Recorder } from './recorder.js';

/**
 * Starts the record of a run.
 *
 * @param secret JSON text of the input secret
 * @param send appends bytes to the record
 * @returns the recorder of exchanges, and the handler for the requests of pages
 */
export function startRecorder(
  secret: string | null,
  send: (bytes: Buffer) => void,
  warn: (text: string) => void,
): { recorder: Recorder; pages: RequestHandler } {
  const recorder = new Recorder(secret, send, warn);
  return { recorder, pages: new PageRecorder(recorder) };
}
