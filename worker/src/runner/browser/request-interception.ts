/** A request of a page that Chromium has paused, as its protocol describes it (`Fetch.requestPaused`). */
export interface PausedRequest {
  requestId: string;
  frameId: string;
  request: {
    url: string;
    method: string;
    headers: Record<string, string>;
    postData?: string;
    postDataEntries?: { bytes?: string }[];
  };
  /** Such as `Document`, `Image` or `XHR`. */
  resourceType: string;
  /** Set when the answer has arrived, as the next two fields are. */
  responseStatusCode?: number;
  responseStatusText?: string;
  responseHeaders?: { name: string; value: string }[];
  /** Set if no answer came. */
  responseErrorReason?: string;
}

/** Sends a command to the browser. */
export type SendCommand = <Result = unknown>(method: string, params: object) => Promise<Result>;

/** Handles the requests of all pages of a run. It must let each paused request continue, or end it. */
export interface RequestHandler {
  /** The moment at which requests are paused: before they are sent, or when their answer has arrived. */
  readonly stage: 'Request' | 'Response';
  /** The type of the requests that it handles; all types if missing. */
  readonly resourceType?: string;
  paused(request: PausedRequest, send: SendCommand): Promise<void>;
  /** Hears of the answers to requests for which it has asked with `interceptResponse`, and maybe of others. */
  responded?(request: PausedRequest): void;
  /** Tells that it does not get some of the requests. A handler without it handles those of Playwright, too. */
  lacks?(requests: string): void;
}

const PAUSED = '{"method":"Fetch.requestPaused"';

/**
 * Lets the runner handle the requests of all targets of a browser: of pages, popups, frames and workers. It pauses them in
 * the session of the browser, which is the one next to the network. The skript and its library have sessions of their
 * own, so they handle requests as usual (`setRequestInterception`, `authenticate`), and the runner sees what they really
 * send.
 */
export class RequestInterception {
  readonly #handlers: RequestHandler[];
  readonly #command: (method: string, params: object, session: string | null) => Promise<unknown>;

  /**
   * @param handlers at most one for each stage
   * @param command sends a command to a session; null for that of the browser
   */
  constructor(
    handlers: RequestHandler[],
    command: (method: string, params: object, session: string | null) => Promise<unknown>,
  ) {
    this.#handlers = handlers;
    this.#command = command;
    this.#tell('Fetch.enable', { patterns: patternsOf(handlers) }, null);
  }

  /**
   * Call it when the skript's library gets the first session of a page, before it hears of it. A page that is older than
   * this interception would send its requests past it; that its session begins and ends one makes Chromium look again.
   */
  attached(session: string): void {
    this.#tell('Fetch.enable', {}, session);
    this.#tell('Fetch.disable', {}, session);
  }

  /** Handles a message of Chromium. Returns true if the skript's library must not get it. */
  event(message: string): boolean {
    if (!message.startsWith(PAUSED)) return false;
    const { params, sessionId } = JSON.parse(message) as { params: PausedRequest; sessionId?: string };
    if (sessionId !== undefined) return false;
    const send: SendCommand = (method, more) => this.#command(method, more, null) as Promise<never>;
    void handle(params, this.#handlers, send);
    return true;
  }

  #tell(method: string, params: object, session: string | null): void {
    this.#command(method, params, session).catch(() => {});
  }
}

export const patternsOf = (handlers: RequestHandler[]): object[] =>
  handlers.map(({ stage, resourceType }) => ({ requestStage: stage, ...(resourceType && { resourceType }) }));

/** Lets the handler of its stage handle a paused request. */
export async function handle(paused: PausedRequest, handlers: RequestHandler[], send: SendCommand): Promise<void> {
  const { requestId, responseStatusCode, responseErrorReason } = paused;
  const current = responseStatusCode === undefined && responseErrorReason === undefined ? 'Request' : 'Response';
  try {
    if (current === 'Response') for (const handler of handlers) handler.responded?.(paused);
    const handler = handlers.find(({ stage }) => stage === current);
    if (handler) await handler.paused(paused, send);
    else await send('Fetch.continueRequest', { requestId });
  } catch {
    // The page may have been closed meanwhile. If not, it must not wait for an answer without end.
    await send('Fetch.continueRequest', { requestId }).catch(() => {});
  }
}
