import { readFileSync } from 'node:fs';
import type { Root } from 'mdast';
import { placesInCode } from './places-in-code';

const platformUrl = 'https://trawl.example.com';
const transform = (sourceUrl: string, hasArchive: boolean) => {
  const tree: Root = { type: 'root', children: [{ type: 'code', value: '{get-trawl}\ncurl {platform}/ip' }] };
  placesInCode({ platformUrl, sourceUrl, hasArchive })(tree);
  return tree.children[0];
};
const commands = (...settings: Parameters<typeof transform>) =>
  (transform(...settings) as { value: string }).value.split('\n');

test('the install page gets the source code from SITE_SOURCE_URL, or else as the archive of the installation', () => {
  expect(commands('https://git.example.com/trawl', false)[0]).toBe('git clone https://git.example.com/trawl trawl');
  expect(commands('', true)).toEqual([`curl -fsS ${platformUrl}/source.tar.gz | tar -xz`, `curl ${platformUrl}/ip`]);
});

test('without a repository and an archive, the install page says that there is no source code', () => {
  expect(JSON.stringify(transform('', false))).toContain('This installation does not offer its source code.');
});

test('commands that print a field begin with the function that the introduction of the Joint API shows', () => {
  const definition = /^field\(\).*$/m.exec(readFileSync('website/docs/joint-api/index.mdx', 'utf8'))?.[0];
  const built = (value: string) => {
    const node = { type: 'code' as const, lang: 'bash', value };
    placesInCode({ platformUrl, sourceUrl: '', hasArchive: true })({ type: 'root', children: [node] });
    return node.value;
  };
  for (const call of ['curl {platform} \\\n  | field id', 'ID=$(field id < a.json)', 'field id < a.json']) {
    expect(built(call).split('\n')[0]).toBe(definition);
  }
  for (const other of [definition as string, "echo 'a field is named'"]) expect(built(other)).toBe(other);
});
