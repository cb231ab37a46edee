import type { AllowedNetwork } from './allow-list.js';

/** What the proxy's process is told, as JSON, one object a line. `places`: once, folders below its working directory. */
export interface ProxyLine {
  allowed: AllowedNetwork[];
  places?: { folder: string; uid: number | null }[];
}
