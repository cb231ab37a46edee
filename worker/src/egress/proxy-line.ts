import type { AllowedNetwork } from './allow-list.js';

/** A message from the worker to the proxy's process: a JSON object on one line. */
export interface ProxyLine {
  allowed: AllowedNetwork[];
  /** One folder for each slot, relative to the proxy's working directory. Only the first message contains them. */
  slots?: ProxySlot[];
}

export interface ProxySlot {
  folder: string;
  /** Owner of the folder and its socket; null for the worker's user. */
  uid: number | null;
}
