import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RETRIED_ERRORS, RUN_ERRORS, SANDBOX_LAYERS, SANDBOX_LEVELS, WAITING_REASONS } from '@trawl/contracts';
import { load } from 'cheerio';

const page = (name: string) => load(readFileSync(join('website/build/docs/tech', `${name}.html`), 'utf8'));
const execution = page('skript-execution');
const workers = page('workers');
const codeOn = ($: typeof workers) =>
  new Set(
    $('code')
      .map((_, element) => $(element).text())
      .get(),
  );

/** The row of a table that begins with this. */
const rowOf = ($: typeof workers, first: string) =>
  $('tr')
    .filter((_, row) => $(row).find('td').first().text().trim() === first)
    .find('td')
    .map((_, cell) => $(cell).text().trim())
    .get();

test('every way in which a run can fail, and all that it may wait for, has its meaning and remedy', () => {
  for (const [code, meaning] of Object.entries(RUN_ERRORS)) {
    const [name, what, remedy] = execution(`#error-${code} td`).map((_, cell) => execution(cell).text().trim());
    expect([name, what]).toEqual([code, meaning]);
    expect(remedy).not.toBe('');
  }
  for (const reason of WAITING_REASONS) expect(execution(`#waiting-${reason} td`).first().text()).toBe(reason);
});

test('the errors that are tried again are named, and no others', () => {
  const codes = execution('#retries')
    .nextAll('p')
    .first()
    .find('code')
    .map((_, element) => execution(element).text())
    .get();
  expect(codes.filter(code => code in RUN_ERRORS).sort()).toEqual([...RETRIED_ERRORS].sort());
});

test('each level and layer of a sandbox is explained', () => {
  for (const name of [...SANDBOX_LEVELS, ...SANDBOX_LAYERS]) {
    const [shown, meaning] = rowOf(workers, name);
    expect(shown).toBe(name);
    expect(meaning).not.toBe('');
  }
});

test('every setting of the worker is on its page', () => {
  const source = readFileSync('worker/src/settings.ts', 'utf8');
  const settings = [...source.matchAll(/^ {2}(TRAWL_\w+|CHROME_PATH):/gm)].map(([, name]) => name as string);
  expect(settings.length).toBeGreaterThan(15);
  const named = codeOn(workers);
  expect(settings.filter(name => !named.has(name))).toEqual([]);
});
