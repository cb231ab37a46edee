import type { HeaderPair } from '@trawl/contracts';
import { RECORD_LIMITS } from '../../records/record-format.js';
import type { PausedRequest, RequestHandler, SendCommand } from '../browser/request-interception.js';
import { type Recorder, TOO_LARGE } from './recorder.js';
import type { Replay } from './replay.js';

/** Requests whose answer may never end. */
const ENDLESS = new Set(['EventSource', 'Media', 'WebSocket']);
const ENDLESS_TYPES = /^\s*(?:text\/event-stream|multipart\/x-mixed-replace)/i;
/** Answers for which Chromium has no body. */
const WITHOUT_BODY = new Set([101, 204, 205, 301, 302, 303, 304, 307, 308]);

const pairsOf = ({ headers }: PausedRequest['request']): HeaderPair[] => Object.entries(headers);

function bodyOf({ postData, postDataEntries }: PausedRequest['request']): Buffer {
  if (postDataEntries) return Buffer.concat(postDataEntries.map(({ bytes = '' }) => Buffer.from(bytes, 'base64')));
  return Buffer.from(postData ?? '');
}

const headerOf = ({ responseHeaders = [] }: PausedRequest, wanted: string): string =>
  responseHeaders.find(({ name }) => name.toLowerCase() === wanted)?.value ?? '';

const isEndless = (paused: PausedRequest): boolean =>
  ENDLESS.has(paused.resourceType) || ENDLESS_TYPES.test(headerOf(paused, 'content-type'));

/** Types of which pages are made, and with which scripts of pages work. */
const PAGE_TYPES =
  /^\s*(?:text\/|image\/|font\/|application\/(?:[\w.+-]*(?:json|xml|javascript)|x-www-form-urlencoded)|$)/i;
export const NO_LENGTH = 'it is a download without a length, which a record cannot limit';

/**
 * Returns why the body of an answer is left out; null if it is recorded. Chromium gives a body only as a whole, so the
 * recorder decides by the headers: a download that tells no length may be larger than the memory of the run.
 */
function reasonToLeaveOut(paused: PausedRequest): string | null {
  const length = headerOf(paused, 'content-length');
  // The length of a compressed body is less than that of the body itself.
  if (length !== '') return Number(length) > RECORD_LIMITS.bodyBytes ? TOO_LARGE : null;
  const isDownload =
    /^\s*attachment/i.test(headerOf(paused, 'content-disposition')) ||
    !PAGE_TYPES.test(headerOf(paused, 'content-type'));
  return isDownload ? NO_LENGTH : null;
}

/** Records the requests of pages when their answers have arrived. */
export class PageRecorder implements RequestHandler {
  readonly stage = 'Response';
  readonly #recorder: Recorder;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  async paused(paused: PausedRequest, send: SendCommand): Promise<void> {
    const { requestId, request, responseStatusCode: status = null, responseErrorReason: error = null } = paused;
    const isRecorded = status !== null && !isEndless(paused);
    if (isRecorded || error !== null) {
      const hasBody = isRecorded && !WITHOUT_BODY.has(status) && request.method !== 'HEAD';
      const leftOut = hasBody ? reasonToLeaveOut(paused) : null;
      const body = hasBody && leftOut === null ? await this.#body(requestId, send) : Buffer.alloc(0);
      const exchange = {
        method: request.method,
        url: request.url,
        request_headers: pairsOf(request),
        request_body: bodyOf(request),
        status,
        status_text: paused.responseStatusText ?? '',
        // Chromium has decoded the body.
        response_headers: (paused.responseHeaders ?? [])
          .filter(({ name }) => name.toLowerCase() !== 'content-encoding')
          .map(({ name, value }): HeaderPair => [name, value]),
        body,
        is_cut: false,
        error,
      };
      if (leftOut !== null) this.#recorder.leaveOut(exchange, leftOut);
      else this.#recorder.add(exchange);
    }
    await send('Fetch.continueRequest', { requestId });
  }

  lacks(requests: string): void {
    this.#recorder.lacks(requests);
  }

  async #body(requestId: string, send: SendCommand): Promise<Buffer> {
    try {
      const { body, base64Encoded } = await send<{ body: string; base64Encoded: boolean }>('Fetch.getResponseBody', {
        requestId,
      });
      return Buffer.from(body, base64Encoded ? 'base64' : 'utf8');
    } catch {
      // The page has cancelled the request.
      return Buffer.alloc(0);
    }
  }
}

/** Gives the requests of pages their recorded answers. */
export class PageReplay implements RequestHandler {
  readonly stage = 'Request';
  readonly #replay: Replay;

  constructor(replay: Replay) {
    this.#replay = replay;
  }

  async paused({ requestId, request, resourceType }: PausedRequest, send: SendCommand): Promise<void> {
    if (!/^https?:/.test(request.url)) {
      await send('Fetch.continueRequest', { requestId });
      return;
    }
    const { method, url } = request;
    const asked = { method, url, headers: pairsOf(request), body: bodyOf(request) };
    const answer = await this.#replay.answer(asked, resourceType !== 'Document');
    if (!answer) {
      if (this.#replay.mayUseNetwork) await send('Fetch.continueRequest', { requestId });
      else await send('Fetch.failRequest', { requestId, errorReason: 'InternetDisconnected' });
    } else if (answer.head.status === 0) {
      await send('Fetch.failRequest', { requestId, errorReason: 'Failed' });
    } else {
      const { status, status_text, headers } = answer.head;
      await send('Fetch.fulfillRequest', {
        requestId,
        responseCode: status,
        ...(status_text !== '' && { responsePhrase: status_text }),
        responseHeaders: headers.map(([name, value]) => ({ name, value })),
        body: answer.body.toString('base64'),
      });
    }
  }

  lacks(requests: string): void {
    this.#replay.unsupported(requests);
  }
}
