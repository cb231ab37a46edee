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
