/** Exit codes of the program. The README lists them. */
export const EXIT = {
  /** The run, or something else that was asked for, failed. */
  failed: 1,
  usage: 2,
  signIn: 3,
  notFound: 4,
  conflict: 5,
  unavailable: 6,
  /** The run ended without an error, but its rows are so different from those of earlier runs that something is wrong. */
  broken: 7,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
