import { setTimeout } from 'node:timers';
import type { PausedRequest, RequestHandler, SendCommand } from '../browser/request-interception.js';
import type { DomainGate, Leave } from './domain-gate.js';

/** A page that is closed before its answer tells nothing, so the runner looks for it after this time, again and again. */
const LOOK_MS = 1_000;

/** Lets the pages of browsers wait at the gate, whether code or a link opens them: not their frames, and not what they load. */
export class PacedPages implements RequestHandler {
  readonly stage = 'Request';
  readonly resourceType = 'Document';
  readonly #gate: DomainGate;
  readonly #warn: (text: string) => void;
  /** Pages that wait for their answer, by their frame, if requests in progress are limited. */
  readonly #loading = new Map<string, Leave>();

  constructor(gate: DomainGate, warn: (text: string) => void) {
    this.#gate = gate;
    this.#warn = warn;
  }

  async paused({ requestId, frameId, request }: PausedRequest, send: SendCommand): Promise<void> {
    let leave: Leave | undefined;
    try {
      if (this.#gate.isOn && /^https?:/.test(request.url) && (await isPage(frameId, send))) {
        // The navigation before it ends now, and must not keep the place for which this one waits.
        this.#answered(frameId);
        leave = (await this.#gate.enter(new URL(request.url))) ?? undefined;
      }
    } catch (error) {
      // The error of the page has only a code.
      this.#warn((error as Error).message);
      await send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
      return;
    }
    if (leave) await this.#load(requestId, frameId, leave, send);
    else await send('Fetch.continueRequest', { requestId });
  }

  responded({ frameId, resourceType }: PausedRequest): void {
    if (resourceType === this.resourceType) this.#answered(frameId);
  }

  async #load(requestId: string, frameId: string, leave: Leave, send: SendCommand): Promise<void> {
    // It ends the navigation before it.
    this.#answered(frameId);
    this.#loading.set(frameId, leave);
    try {
      await send('Fetch.continueRequest', { requestId, interceptResponse: true });
    } catch (error) {
      // The page was closed, or went elsewhere, while it waited.
      leave();
      if (this.#loading.get(frameId) === leave) this.#loading.delete(frameId);
      throw error;
    }
    const look = async () => {
      if (this.#loading.get(frameId) !== leave) return;
      if (await isPage(frameId, send)) setTimeout(look, LOOK_MS).unref();
      else this.#answered(frameId);
    };
    setTimeout(look, LOOK_MS).unref();
  }

  #answered(frameId: string): void {
    this.#loading.get(frameId)?.();
    this.#loading.delete(frameId);
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
