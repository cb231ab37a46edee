import type { PoliteMethod, StorageAnswer } from '@trawl/contracts';
import { DomainGate } from './domain-gate.js';
import { paceHttp } from './pace-http.js';
import { PacedPages } from './pace-pages.js';
import { paceUndici } from './pace-undici.js';
import { loadRules } from './robots-rules.js';

/**
 * Makes the requests of this process wait at a gate, while it is on.
 *
 * @param send sends a call to the platform
 * @returns the gate, and the handler for the requests of pages
 */
export function startPolite(
  send: (op: { method: PoliteMethod; args: Uint8Array }) => Promise<StorageAnswer>,
  warn: (text: string) => void,
): { gate: DomainGate; pages: PacedPages } {
  const call = async (method: PoliteMethod, args: object) => {
    const answer = await send({ method, args: Buffer.from(JSON.stringify(args)) });
    if ('error' in answer) throw new Error(answer.error.message);
    return JSON.parse(Buffer.from(answer.result).toString());
  };
  const gate = new DomainGate({
    reserve: async domains => (await call('reserveSlots', { domains })).slots,
    close: async (domain, retry_after_ms) => (await call('closeDomain', { domain, retry_after_ms })).closed_ms,
    setCrawlDelay: (domain, crawl_delay_ms) => call('setCrawlDelay', { domain, crawl_delay_ms }),
    loadRules,
    warn,
  });
  paceHttp(gate);
  paceUndici(gate);
  return { gate, pages: new PacedPages(gate, warn) };
}
