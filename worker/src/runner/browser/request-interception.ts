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

/** Sends a command to the session of the request. */
export type SendCommand = <Result = unknown>(method: string, params: object) => Promise<Result>;

/** Handles the requests of all pages of a run. It must let each paused request continue, or end it. */
export interface RequestHandler {
  /** The moment at which requests are paused: before they are sent, or when their answer has arrived. */
  readonly stage: 'Request' | 'Response';
  paused(request: PausedRequest, send: SendCommand): Promise<void>;
}

const PAUSED = '{"method":"Fetch.requestPaused"';
const COMMANDS = /^\{"method":"Fetch\.(?:enable|disable|continueRequest)"/;

/**
 * Lets the runner handle the requests of pages beside the skript, which may handle them too (`setRequestInterception`).
 * Both use the same sessions, where Chromium knows only one of them. So this answers those commands of the skript, and
 * the skript decides first.
 */
export class RequestInterception {
  readonly #handler: RequestHandler;
  readonly #command: (method: string, params: object, session: string) => Promise<unknown>;
  readonly #answer: (message: object) => void;
  /** Sessions in which the skript handles requests. */
  readonly #ofSkript = new Set<string>();
  /** Requests that the skript has not let continue yet. */
  readonly #undecided = new Map<string, PausedRequest>();

  /** @param answer passes a message to the skript's library, as from Chromium */
  constructor(
    handler: RequestHandler,
    command: (method: string, params: object, session: string) => Promise<unknown>,
    answer: (message: object) => void,
  ) {
    this.#handler = handler;
    this.#command = command;
    this.#answer = answer;
  }

  /** Call it when a session has been attached to a target, before the skript's library hears of it. */
  attached(session: string): void {
    const stages = new Set([this.#handler.stage, ...(this.#ofSkript.has(session) ? ['Request'] : [])]);
    const patterns = [...stages].map(requestStage => ({ requestStage }));
    // Some targets have no requests.
    this.#command('Fetch.enable', { patterns }, session).catch(() => {});
  }

  /** Handles a message of Chromium. Returns true if the skript's library must not get it. */
  event(message: string): boolean {
    if (!message.startsWith(PAUSED)) return false;
    const { params, sessionId } = JSON.parse(message) as { params: PausedRequest; sessionId: string };
    const isAnswered = params.responseStatusCode !== undefined || params.responseErrorReason !== undefined;
    if (!isAnswered && this.#ofSkript.has(sessionId)) {
      this.#undecided.set(params.requestId, params);
      return false;
    }
    this.#handle(params, sessionId);
    return true;
  }

  /** Handles a command of the skript's library. Returns true if Chromium must not get it. */
  command(message: string): boolean {
    if (!COMMANDS.test(message)) return false;
    const { id, method, params, sessionId } = JSON.parse(message);
    if (method === 'Fetch.continueRequest') {
      const request = this.#undecided.get(params.requestId);
      this.#undecided.delete(params.requestId);
      // A recording needs the answer to the request as the skript has changed it.
      if (!request || this.#handler.stage === 'Response') return false;
      this.#handle(request, sessionId);
    } else {
      if (method === 'Fetch.enable') this.#ofSkript.add(sessionId);
      else this.#ofSkript.delete(sessionId);
      this.attached(sessionId);
    }
    this.#answer({ id, result: {}, sessionId });
    return true;
  }

  #handle(request: PausedRequest, session: string): void {
    const send: SendCommand = (method, params) => this.#command(method, params, session) as Promise<never>;
    // The page may have been closed meanwhile.
    this.#handler.paused(request, send).catch(() => {});
  }
}
