/**
 * Returns every `oneIn`-th case, beginning with one that the seed chooses; in the full test, all cases. Tests of the same
 * cases pass different values of `offset`, so that one run covers more of them.
 */
export declare function sampleOf<Case>(all: readonly Case[], { oneIn, offset }: {
    oneIn: number;
    offset?: number;
}): Case[];
