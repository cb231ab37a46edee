import type { BundleOptions, BundleResult } from '@trawl/bundler';

export type { BundleResult };

export interface BundleRequest extends Omit<BundleOptions, 'files' | 'footer'> {
  files: { name: string; content: string }[];
  /** SHA-256 (hex) of all files and of the lock of their libraries. */
  filesDigest: string;
  timeLimitMs: number;
  /** Priority of the build's process. Values below 0 have an effect only if the backend is root. */
  nice: number;
}

/** The operating system's user for the build process. Empty means the same user as the backend. */
export type BuildUser = { uid?: number; gid?: number };

/** An order that the backend sends to the build host. */
export interface BuildOrder {
  id: number;
  request: BundleRequest;
  user: BuildUser;
}

/** How a build ended. `result` is null if its process died; `failure` says why the process could not be started. */
export type BuildAnswer = { id: number } & (
  | { result: BundleResult | null }
  | { failure: { code: string | undefined; message: string } }
);
