/** Detects that the platform has been silent for too long, even if this process hung during the silence. */
export class Silence {
  readonly #begun: () => void;
  #until = Number.POSITIVE_INFINITY;
  #ms = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** @param begun called when the platform has been silent for too long */
  constructor(begun: () => void) {
    this.#begun = begun;
  }

  /** How many milliseconds the platform may be silent. */
  get ms(): number {
    return this.#ms;
  }

  get isOn(): boolean {
    return performance.now() >= this.#until;
  }

  /**
   * Call when the platform has answered a frame. Ends a silence. The next silence begins at `sentAt` plus `silenceMs`
   * if no other frame is answered until then.
   *
   * @param sentAt when the worker sent the frame, by `performance.now()`
   */
  answered(sentAt: number, silenceMs: number): void {
    // If this process hung, Node reads the answer before it runs the timer, so report the silence here. The watchdog
    // has already ended runs.
    if (this.isOn) this.#begun();
    this.#ms = silenceMs;
    this.#until = sentAt + silenceMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#begun, Math.max(0, this.#until - performance.now())).unref();
  }
}
