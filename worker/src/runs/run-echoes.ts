import { LIMITS } from '@trawl/contracts';
import { checkedEcho } from '../protocol/echo-items.js';
import { redactedEcho } from '../redaction/redacted-echo.js';
import type { Redaction } from '../redaction/redaction.js';
import type { Spool } from '../spool/spool.js';
import type { LiveView } from './live-view.js';

/** Checks, redacts, saves and shows the echoes of one run. */
export class RunEchoes {
  readonly #spool: Spool;
  readonly #live: LiveView;
  readonly #redaction: Redaction;
  readonly #flooded: () => void;
  /** Number of characters in the echoes that arrived after the spool was full. */
  #droppedChars = 0;

  /** @param flooded called when the run has sent twice as many echoes as the spool keeps, measured in characters */
  constructor(spool: Spool, live: LiveView, redaction: Redaction, flooded: () => void) {
    this.#spool = spool;
    this.#live = live;
    this.#redaction = redaction;
    this.#flooded = flooded;
  }

  /**
   * @param item the echo as the run has sent it; it may be any value
   * @returns the number of the echo; null if the spool is full
   */
  add(item: unknown): number | null {
    const [type, msg, time] = redactedEcho(checkedEcho(item), this.#redaction);
    const echo = this.#spool.append(type, time, msg);
    if (echo) {
      this.#live.add(echo);
      return echo.seq;
    }
    this.#droppedChars += msg.length + 1;
    if (this.#droppedChars > LIMITS.echoBytesPerRun) this.#flooded();
    return null;
  }

  /** Adds an echo for a text of the worker, or for a line that the skript printed. */
  addLine(type: 'log' | 'warn' | 'error', text: string): void {
    this.add([type, text, new Date().toISOString()]);
  }

  /** Whether the spool drops further echoes. */
  get full(): boolean {
    return this.#spool.full;
  }

  /**
   * Returns a promise that the caller should await before it reads more echoes, because the disk or the live view is
   * too slow. Returns undefined if it need not wait.
   */
  pace(): Promise<void> | undefined {
    return this.#spool.congested ? this.#spool.written() : this.#live.pace();
  }
}
