import type { CDPSession, Protocol } from 'puppeteer-core';

export interface ApiResponse {
  status: number;
  contentType?: string;
  body: string;
}

/** A request of a page to the API. It waits until the test answers it, or lets the server answer it. */
export class ApiRequest {
  isAnswered = false;

  constructor(
    private readonly session: CDPSession,
    private readonly paused: Protocol.Fetch.RequestPausedEvent,
  ) {}

  get url(): URL {
    return new URL(this.paused.request.url);
  }

  get method(): string {
    return this.paused.request.method;
  }

  /** The JSON body. */
  get payload(): Record<string, unknown> {
    return JSON.parse(this.paused.request.postData ?? 'null');
  }

  respond({ status, contentType = 'text/plain', body }: ApiResponse): Promise<void> {
    this.isAnswered = true;
    return this.session.send('Fetch.fulfillRequest', {
      requestId: this.paused.requestId,
      responseCode: status,
      responseHeaders: [{ name: 'content-type', value: contentType }],
      body: Buffer.from(body).toString('base64'),
    });
  }

  abort(errorReason: 'ConnectionRefused' | 'InternetDisconnected'): Promise<void> {
    this.isAnswered = true;
    return this.session.send('Fetch.failRequest', { requestId: this.paused.requestId, errorReason });
  }

  continue(): Promise<void> {
    this.isAnswered = true;
    return this.session.send('Fetch.continueRequest', { requestId: this.paused.requestId });
  }
}
