/**
 * Returns every `oneIn`-th case, beginning with one that the seed chooses; in the full test, all cases. Tests of the same
 * cases pass different values of `offset`, so that one run covers more of them.
 */
export function sampleOf(all, { oneIn, offset = 0 }) {
    return isFullTest ? [...all] : all.filter((_, index) => (index + testSeed + offset) % oneIn === 0);
}
//# sourceMappingURL=sample.js.map