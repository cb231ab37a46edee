import type { PausedRequest, RequestHandler, SendCommand } from '../browser/request-interception.js';
import type { DomainGate } from './domain-gate.js';

/** Lets the pages of browsers wait at the gate, whether code or a link opens them: not their frames, and not what they load. */
export class PacedPages implements RequestHandler {
  readonly stage = 'Request';
  readonly resourceType = 'Document';
  readonly #gate: DomainGate;
  readonly #warn: (text: string) => void;

  constructor(gate: DomainGate, warn: (text: string) => void) {
    this.#gate = gate;
    this.#warn = warn;
  }

  async paused({ requestId, frameId, request }: PausedRequest, send: SendCommand): Promise<void> {
    try {
      if (this.#gate.isOn && /^https?:/.test(request.url) && (await isPage(frameId, send)))
        await this.#gate.enter(new URL(request.url));
    } catch (error) {
      // The error of the page has only a code.
      this.#warn((error as Error).message);
      await send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
      return;
    }
    await send('Fetch.continueRequest', { requestId });
  }
}

/** The main frame of a page has the id of the page. */
async function isPage(frameId: string, send: SendCommand): Promise<boolean> {
  try {
    const { targetInfo } = await send<{ targetInfo: { type: string } }>('Target.getTargetInfo', { targetId: frameId });
    return targetInfo.type === 'page';
  } catch {
    return false;
  }
}
