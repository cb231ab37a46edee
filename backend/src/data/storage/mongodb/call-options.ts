/** Time limit that MongoDB enforces for one call of the API. */
export const MAX_TIME_MS = 10_000;
export const READ = { maxTimeMS: MAX_TIME_MS } as const;
export const WRITE = { writeConcern: { w: 1, journal: true }, maxTimeMS: MAX_TIME_MS } as const;
