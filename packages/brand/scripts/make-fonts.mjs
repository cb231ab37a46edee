// @ts-check
// `npm run fonts -w @trawl/brand` subsets the three fonts to the characters of most pages, into fonts/*.woff2.
// With --check it writes nothing and lists the fonts that differ. For other characters fonts.css loads the full fonts.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import subsetFont from 'subset-font';

const OUT = fileURLToPath(new URL('../fonts/', import.meta.url));
const require = createRequire(import.meta.url);

const ascii = String.fromCharCode(...Array.from({ length: 0x7f - 0x20 }, (_, index) => 0x20 + index));
/** These characters must be the same as those of the `unicode-range` in fonts.css. */
const CHARACTERS = `${ascii}\u00a0·×«»£€‘’“”–—…→`;

/**
 * Headings have one weight, so their font has no axis. `features` are those that style sheets of website and panel use.
 * The fonts have no hints, which only old screens need.
 */
const FONTS = [
  { name: 'bricolage-grotesque', wght: 650, features: ['kern'] },
  { name: 'inter', wght: { min: 400, max: 700 }, features: ['kern', 'tnum', 'cv05', 'cv11', 'ss03'] },
  { name: 'jetbrains-mono', wght: { min: 400, max: 700 }, features: [] },
];

const check = process.argv.includes('--check');
mkdirSync(OUT, { recursive: true });
for (const { name, wght, features } of FONTS) {
  const whole = readFileSync(require.resolve(`@fontsource-variable/${name}/files/${name}-latin-wght-normal.woff2`));
  const cut = await subsetFont(whole, CHARACTERS, {
    targetFormat: 'woff2',
    variationAxes: { wght },
    keepFeatures: features,
    noHinting: true,
  });
  const file = join(OUT, `${name}.woff2`);
  const same = existsSync(file) && readFileSync(file).equals(cut);
  if (!same && check) process.exitCode = 1;
  if (!same && !check) writeFileSync(file, cut);
  const state = same ? 'unchanged' : check ? 'differs; run npm run fonts -w @trawl/brand' : 'written';
  console.log(`${name}: ${cut.byteLength} of ${whole.byteLength} bytes, ${state}`);
}
