/** Returns the number of runs in words, such as "12 runs". */
export const runsText = (runs: number): string => (runs === 1 ? '1 run' : `${runs.toLocaleString('en-GB')} runs`);
