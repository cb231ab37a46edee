/**
 * Prevents runs from reaching loopback, private and other special addresses. There is one implementation for each
 * mechanism: network namespaces with rules, and a proxy.
 */
export interface EgressFilter {
  readonly kind: 'namespaces' | 'proxy';
  /**
   * Starts the filter. Call it before the first run starts.
   *
   * @throws Error that says why the filter does not work on this machine; everything that it had set up is removed then
   */
  open(): Promise<void>;
  /** Prepares the network of a slot. Returns null if bubblewrap creates the network. */
  prepare(slotIndex: number): Promise<SlotNetwork | null>;
  /** Returns bubblewrap's arguments for the network of a slot. */
  networkArguments(slotIndex: number): string[];
  /** Stops the filter. Call it after the last run has ended. */
  close(): Promise<void>;
}

/** The network of a slot. */
export interface SlotNetwork {
  /** File of the network namespace. */
  file: string;
  /** Program and arguments that start another program in the network, as the slot's user. */
  command: string[];
}

/**
 * The egress filter of this worker, already open; null if no filter works on this machine. The note tells a person
 * which filter it is, or why there is none.
 */
export interface ChosenEgress {
  filter: EgressFilter | null;
  note: string;
}

/** Begin of the note if no filter works. */
export const UNFILTERED = 'Runs can reach everything that this machine reaches.';
