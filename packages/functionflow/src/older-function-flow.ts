import type { EventEmitter } from 'node:events';
import { inspect } from 'node:util';
// The package's own name keeps this class outside the bundle of the current one, which it shares with skripts.
import { type FlowMethod, type FlowOptions, FunctionFlow } from '@trawl/functionflow';

type SerialRepeat = FunctionFlow['serialRepeat'];

/**
 * The FunctionFlow that older skripts require as `@mikosoft/functionflow` or `functionflowx`. It keeps what they could
 * notice of the original.
 */
export class OlderFunctionFlow extends FunctionFlow {
  /** Has no effect. Older skripts may read it. */
  msPause = 365 * 24 * 60 * 60 * 1000;
  /** Has no effect. Older skripts may read it. */
  runtimeTest = false;
  /** The last iteration of the last `repeat`. */
  #iteration = 0;
  #iterationMax = 0;
  /** What `jump` or `break` chose outside a `repeat`: it counts for the next one. */
  #jumpOutside: number | null = null;

  constructor({ debug, msDelay }: FlowOptions = {}, eventEmitter?: EventEmitter | null) {
    super({ debug: Boolean(debug), msDelay: msDelay || 0 }, eventEmitter ?? undefined);
    this.lib = undefined as never;
    // Functions in files of their own find their flow there.
    Object.assign(globalThis, { functionFlow: this });
  }

  /** Has no effect. The original read commands from a terminal, which a run does not have. */
  listen(): void {}

  /** Sets both options, as skripts of 2022 and before did. */
  setOpts({ debug, msDelay }: FlowOptions = {}): void {
    this.debug = Boolean(debug);
    this.msDelay = msDelay || 0;
  }

  xRemove(): void {
    this.x = undefined;
  }

  override libAdd(lib: Record<string, unknown>): void {
    this.lib ??= {};
    super.libAdd(lib);
  }

  override libRemove(): void {
    this.lib = null as never;
  }

  override libList(): string[] {
    return Object.keys(this.lib ?? {});
  }

  /** Runs nothing if `n` is not a number, or negative. */
  override serialRepeat(fns: Parameters<SerialRepeat>[0], n: number | string): Promise<unknown> {
    return super.serialRepeat(fns, countOf(n));
  }

  /** Runs nothing if `n` is not a number, or negative, or if `break` was called since the last `repeat`. */
  override async repeat(n: number | string): Promise<unknown> {
    const isBroken = this.#jumpOutside === Number.POSITIVE_INFINITY;
    if (isBroken) this.#jumpOutside = null;
    this.#iteration = 0;
    this.#iterationMax = countOf(n);
    try {
      return await super.repeat(isBroken ? 0 : this.#iterationMax);
    } finally {
      this.iteration = this.#iteration;
    }
  }

  /** After a `repeat`, the number of its iterations. */
  override get iteration_max(): number {
    return super.iteration_max || this.#iterationMax;
  }

  override go(index: number): void {
    this.#printCommand('go', ` to function ${index}`);
    super.go(index);
  }

  override next(): void {
    this.#printCommand('next');
    super.next();
  }

  /** `jump(0)` has no effect. */
  override jump(iteration: number): void {
    this.#printCommand('jump', ` to iteration ${iteration}`);
    if (iteration === 0) return;
    super.jump(iteration);
    if (super.iteration_max === 0) this.#jumpOutside = iteration;
  }

  override break(): void {
    this.#printCommand('break');
    super.break();
    if (super.iteration_max === 0) this.#jumpOutside = Number.POSITIVE_INFINITY;
  }

  override delay(ms: number): Promise<void> {
    this.#printCommand('delay', ms);
    return super.delay(ms);
  }

  override delayRnd(min = 0, max = 1000): Promise<void> {
    return this.delay(Math.round(min + Math.random() * (max - min)));
  }

  protected override rules() {
    return {
      delaysOne: true,
      changed: (status: string) => this.#printCommand(status),
      printFunction: (method: FlowMethod, index: number, name: string, x: unknown) =>
        this.#printFunction(method, index, name, x),
      startIteration: (method: FlowMethod, iteration: number) => this.#startIteration(method, iteration),
    };
  }

  #startIteration(method: FlowMethod, iteration: number): void {
    if (this.status === 'stop') return;
    this.#iteration = iteration;
    if (this.#jumpOutside !== null) {
      super.jump(this.#jumpOutside);
      this.#jumpOutside = null;
    }
    if (this.debug) console.log(`\n\n-------------- ${iteration}. repeat/${method} --------------`);
  }

  /** Prints one line for all functions of a parallel call. */
  #printFunction(method: FlowMethod, index: number, name: string, x: unknown): void {
    const isParallel = method === 'parallelAll' || method === 'parallelRace';
    if (isParallel && index > 0) return;
    const label = isParallel
      ? `[${method === 'parallelAll' ? 'all' : 'race'}] `
      : `[${index}] ${name === 'anonymous' ? '' : name}`;
    const shown = inspect(x, { depth: 0, colors: true });
    console.log(`\n--- ${method} --- ${this.status} --- ${label} (${this.msDelay} ms) --- x:: ${shown}`);
  }

  #printCommand(name: string, detail: string | number = ''): void {
    if (this.debug) console.log(`\n   === ${name} ${detail || ''} ===\n`);
  }
}

/** Returns a number of repetitions: 0 for what is not one. */
const countOf = (n: unknown): number => Math.max(0, Number(n)) || 0;
