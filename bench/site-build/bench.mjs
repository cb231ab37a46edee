// @ts-check
// Time of a clean build of the website. Baseline: Docusaurus's default template in the same run.
import { readdirSync } from 'node:fs';
import { buildFromClean, defaultTemplate, website } from '../docusaurus-sites.mjs';
import { median } from '../platform.mjs';

const ROUNDS = 3;

/** @type {Record<string, { site: string, times: number[], pages: number }>} */
const sites = {
  Trawl: { site: website, times: [], pages: 0 },
  'default template': { site: defaultTemplate(), times: [], pages: 0 },
};
for (let round = 1; round <= ROUNDS; round++) {
  for (const [name, built] of Object.entries(sites)) {
    const { outDir, ms } = await buildFromClean(built.site);
    built.times.push(ms);
    built.pages = readdirSync(outDir, { recursive: true, encoding: 'utf8' }).filter(file =>
      file.endsWith('.html'),
    ).length;
    console.error(`round ${round} of ${ROUNDS}: ${name} ${Math.round(ms)} ms`);
  }
}
const rows = Object.entries(sites).map(([site, { times, pages }]) => ({
  site,
  pages,
  'median (ms)': Math.round(median(times)),
  'ms per page': Math.round(median(times) / pages),
}));
console.table(rows);
const [trawl, template] = rows.map(row => row['median (ms)']);
console.log(
  JSON.stringify({ bench: 'site-build', ratio: Number((Number(trawl) / Number(template)).toFixed(3)), goal: 1 }),
);
