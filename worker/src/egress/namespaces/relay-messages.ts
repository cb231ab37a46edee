/** A service on a loopback address of the machine that runs may use. */
export interface RelayTarget {
  protocol: 'tcp' | 'udp';
  address: string;
  port: number;
}

/** A service with the port at which the relay listens for it. */
export interface RelayedTarget extends RelayTarget {
  at: number;
}

/** A message from the worker to the relay's process: a JSON object on one line. The answer is a `RelayAnswer`. */
export interface RelayLine {
  /** The address to listen on. */
  host: string;
  targets: RelayTarget[];
}

/** The answer of the relay's process to a line, on one line: the targets in the same order, or why one failed. */
export type RelayAnswer = { relayed: RelayedTarget[] } | { failed: string };
