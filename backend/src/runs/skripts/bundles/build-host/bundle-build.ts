import type { BundleProblem } from '@trawl/contracts';

export interface BundleRequest {
  files: { name: string; content: string }[];
  libraries: readonly string[];
  /** Libraries that need a browser. The build warns at the first import of one of them. */
  browserLibraries: readonly string[];
  /** Maps names of libraries to the modules that the bundle requires instead. */
  aliases: Record<string, string>;
  /** SHA-256 (hex) of all files and of the lock of their libraries. */
  filesDigest: string;
  timeLimitMs: number;
  /** Priority of the build's process. Values below 0 have an effect only if the backend is root. */
  nice: number;
}

/**
 * `bundled` has the names of the files of code that the bundle replaces in the run's folder. `browserImport` is a warning at the first import of a
 * library that needs a browser; null if there is none.
 */
export type BundleResult =
  | { code: string; bundled: string[]; warnings: BundleProblem[]; browserImport: BundleProblem | null }
  | { problems: BundleProblem[] };

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
