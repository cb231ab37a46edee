import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { highlight } from './highlighted-code';

const DOCS = 'website/docs';

test('the languages of all code blocks in the documentation can be highlighted', () => {
  const files = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter(file => /\.mdx?$/.test(file));
  const languages = files.flatMap(file =>
    [...readFileSync(join(DOCS, file), 'utf8').matchAll(/^ *```(\w+)/gm)].map(([, language]) => String(language)),
  );
  expect(languages.length).toBeGreaterThan(50);
  for (const language of new Set(languages)) expect(() => highlight('x', language)).not.toThrow();
});
