/** A request of a page that Chromium has paused, as its protocol describes it (`Fetch.requestPaused`). */
export interface PausedRequest {
  requestId: string;
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
  paused(request: PausedRequest, send: SendCommand): Promise<void>;
  /** Tells that it does not get some of the requests. */
  lacks(requests: string): void;
}

const PAUSED = '{"method":"Fetch.requestPaused"';

/**
 * Lets the runner handle the requests of all targets of a browser: of pages, popups, frames and workers. It pauses them in
 * the session of the browser, which is the one next to the network. The skript and its library have sessions of their
 * own, so they handle requests as usual (`setRequestInterception`, `authenticate`), and the runner sees what they really
 * send.
 */
export class RequestInterception {
  readonly #handler: RequestHandler;
  readonly #command: (method: string, params: object, session: string | null) => Promise<unknown>;

  /** @param command sends a command to a session; null for that of the browser */
  constructor(
    handler: RequestHandler,
    command: (method: string, params: object, session: string | null) => Promise<unknown>,
  ) {
    this.#handler = handler;
    this.#command = command;
    this.#tell('Fetch.enable', { patterns: [{ requestStage: handler.stage }] }, null);
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
    this.#handler.paused(params, send).catch(() => {
      // The page may have been closed meanwhile. If not, it must not wait for an answer without end.
      this.#tell('Fetch.continueRequest', { requestId: params.requestId }, null);
    });
    return true;
  }

  #tell(method: string, params: object, session: string | null): void {
    this.#command(method, params, session).catch(() => {});
  }
}
