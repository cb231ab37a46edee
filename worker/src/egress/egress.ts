/** How runs are kept from loopback, private and otherwise special addresses. One file for each way. */
export interface Egress {
  readonly how: 'nftables' | 'proxy';
  /** Whether runs have the machine's network, so that its abstract sockets have to be kept from them in another way. */
  readonly sharesHostNetwork: boolean;
  /**
   * Begins to hold, before the first run starts.
   *
   * @throws Error that says why it cannot hold on this machine; nothing is left then.
   */
  open(): Promise<void>;
  /** Arguments of bubblewrap for the process in a place. */
  networkArguments(place: number): string[];
  /** Ends holding, after the last run has ended. */
  close(): Promise<void>;
}
