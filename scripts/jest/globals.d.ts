/**
 * True in `npm run test:full`, which runs the whole of each soak test. It is false in `npm test`, which runs a tenth of
 * each.
 */
declare const isFullTest: boolean;
/**
 * Seed for tests that make random decisions. It is always the same number, unless `TRAWL_TEST_SEED` is set to another
 * number or to `random`.
 */
declare const testSeed: number;
