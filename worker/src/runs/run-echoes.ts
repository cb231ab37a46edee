import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '@trawl/contracts';
import { isoNow } from '@trawl/echo/iso-now';
import { type CheckedEcho, checkedEcho } from '../protocol/echo-items.js';
import { redactedEcho } from '../redaction/redacted-echo.js';
import type { Redaction } from '../redaction/redaction.js';
import type { Spool } from '../spool/spool.js';
import type { LiveView } from './live-view.js';

/**
 * Share of the time in which the worker redacts the echoes of one run. Redacting blocks the worker, and a large secret makes
 * it slow, so that a flood of echoes would delay the runs of other accounts.
 */
const REDACTION_SHARE = 0.05;
/** The worker rests only after it has redacted for this long, because timers are not exact. */
const REDACTION_MS = 10;

/** Checks, redacts, saves and shows the echoes of one run. */
export class RunEchoes {
  readonly #spool: Spool;
  readonly #live: LiveView;
  readonly #redaction: Redaction;
  readonly #flooded: () => void;
  /** Number of characters in the echoes that arrived after the spool was full. */
  #droppedChars = 0;
  /** How long redacting took since the last rest. */
  #redactionMs = 0;

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
    const [echo] = this.#redacted([checkedEcho(item)]);
    return this.#save(echo as CheckedEcho);
  }

  /** @param items echoes as the run has sent them; they may be any values */
  addAll(items: unknown[]): void {
    const echoes = this.#redacted(items.map(item => checkedEcho(item)));
    const seq = this.#spool.appendAll(echoes);
    if (seq !== null) this.#live.add(seq, echoes);
    else for (const echo of echoes) this.#save(echo);
  }

  /**
   * Redacts the values of a session in the echoes from now on.
   *
   * @param value JSON text, as the run has sent it
   */
  redactSession(value: string): void {
    this.#timed(() => this.#redaction.addSession(value));
  }

  #redacted(echoes: CheckedEcho[]): CheckedEcho[] {
    if (this.#redaction.isEmpty) return echoes;
    return this.#timed(() => echoes.map(echo => redactedEcho(echo, this.#redaction)));
  }

  #timed<Result>(redact: () => Result): Result {
    const beganAt = performance.now();
    const result = redact();
    this.#redactionMs += performance.now() - beganAt;
    return result;
  }

  /** Returns the number of the echo; null if the spool is full. */
  #save([type, msg, time]: CheckedEcho): number | null {
    const echo = this.#spool.append(type, time, msg);
    if (echo) {
      this.#live.add(echo.seq, [[echo.type, echo.msg, echo.time]]);
      return echo.seq;
    }
    this.#droppedChars += msg.length + 1;
    if (this.#droppedChars > LIMITS.echoBytesPerRun) this.#flooded();
    return null;
  }

  /** Adds an echo for a text of the worker, or for a line that the skript printed. */
  addLine(type: 'log' | 'warn' | 'error', text: string): void {
    this.add([type, text, isoNow()]);
  }

  /** Whether the spool drops further echoes. */
  get full(): boolean {
    return this.#spool.full;
  }

  /** Like `pace`, because redacting the run's echoes takes much of the worker's time. */
  rest(): Promise<void> | undefined {
    if (this.#redactionMs < REDACTION_MS) return undefined;
    const restMs = this.#redactionMs / REDACTION_SHARE - this.#redactionMs;
    this.#redactionMs = 0;
    return delay(restMs);
  }

  /**
   * Returns a promise that the caller should await before it reads more echoes, because the disk or the live view is
   * too slow. Returns undefined if it need not wait.
   */
  pace(): Promise<void> | undefined {
    return this.#spool.congested ? this.#spool.written() : this.#live.pace();
  }
}
