import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RETRYABLE_ERRORS, RUN_ERRORS, SANDBOX_LAYERS, SANDBOX_LEVELS, WAITING_REASONS } from '@trawl/contracts';
import { load } from 'cheerio/slim';

const page = (name: string) => load(readFileSync(join('website/build/docs/tech', `${name}.html`), 'utf8'));
const execution = page('skript-execution');
const workers = page('workers');
const codeOn = ($: typeof workers) =>
  new Set(
    $('code')
      .map((_, element) => $(element).text())
      .get(),
  );

/** Returns the cells of the table row whose first cell is `first`. */
const rowOf = ($: typeof workers, first: string) =>
  $('tr')
    .filter((_, row) => $(row).find('td').first().text().trim() === first)
    .find('td')
    .map((_, cell) => $(cell).text().trim())
    .get();

test('the documentation explains every run error with a remedy, and every waiting reason', () => {
  for (const [code, meaning] of Object.entries(RUN_ERRORS)) {
    const [name, what, remedy] = execution(`#error-${code} td`).map((_, cell) => execution(cell).text().trim());
    expect([name, what]).toEqual([code, meaning]);
    expect(remedy).not.toBe('');
  }
  for (const reason of WAITING_REASONS) expect(execution(`#waiting-${reason} td`).first().text()).toBe(reason);
});

test('the documentation of retries names exactly the errors after which a run is retried', () => {
  const codes = execution('#retries')
    .nextAll('p')
    .first()
    .find('code')
    .map((_, element) => execution(element).text())
    .get();
  expect(codes.filter(code => code in RUN_ERRORS).sort()).toEqual([...RETRYABLE_ERRORS].sort());
});

test('the documentation explains every sandbox level and layer', () => {
  for (const name of [...SANDBOX_LEVELS, ...SANDBOX_LAYERS]) {
    const [shown, meaning] = rowOf(workers, name);
    expect(shown).toBe(name);
    expect(meaning).not.toBe('');
  }
});

test('the documentation of workers names every setting of a worker', () => {
  const source = readFileSync('worker/src/settings.ts', 'utf8');
  const settings = [...source.matchAll(/^ {2}(TRAWL_\w+|CHROME_PATH):/gm)].map(([, name]) => name as string);
  expect(settings.length).toBeGreaterThan(15);
  const named = codeOn(workers);
  expect(settings.filter(name => !named.has(name))).toEqual([]);
});
