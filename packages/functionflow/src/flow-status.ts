/** The status of a flow: it runs, it is paused, or it is stopped. */
export class FlowStatus {
  #value: 'start' | 'stop' | 'pause' = 'start';
  /** Functions that continue the calls that wait for the end of a pause. */
  #wake: (() => void)[] = [];

  get value(): 'start' | 'stop' | 'pause' {
    return this.#value;
  }

  change(value: 'start' | 'stop' | 'pause'): void {
    this.#value = value;
    for (const wake of this.#wake.splice(0)) wake();
  }

  /** Waits while the flow is paused. Resolves to false if it is stopped. */
  async mayRun(): Promise<boolean> {
    while (this.#value === 'pause') await new Promise<void>(resolve => this.#wake.push(resolve));
    return this.#value === 'start';
  }
}
