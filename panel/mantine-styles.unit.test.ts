import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MANTINE = 'node_modules/@mantine/core/styles';
const imported = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(/@mantine\/core\/styles\/([\w-]+)\.layer\.css/g)].map(([, name]) =>
    String(name),
  );

it('the panel imports the styles of every Mantine component that it uses', () => {
  const styled = new Set(
    ['mantine', 'mantine-login'].flatMap(name => imported(`panel/src/styles/mantine/${name}.css`)),
  );
  const sources = readdirSync('panel/src', { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.tsx'));
  const used = sources.flatMap(path =>
    [...readFileSync(join('panel/src', path), 'utf8').matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)].flatMap(
      ([, names]) =>
        String(names)
          .split(',')
          .map(name => name.trim()),
    ),
  );
  const missing = [...new Set(used)].filter(name => existsSync(`${MANTINE}/${name}.layer.css`) && !styled.has(name));
  expect(missing).toEqual([]);
  expect(used.length).toBeGreaterThan(100);
});
