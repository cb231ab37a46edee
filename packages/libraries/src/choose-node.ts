import { maxSatisfying, validRange } from 'semver';

/** @returns the newest of these versions that a range such as `>=20` includes; null if there is none */
export const chooseNode = (range: string, versions: string[]): string | null =>
  validRange(range) === null ? null : maxSatisfying(versions, range);
