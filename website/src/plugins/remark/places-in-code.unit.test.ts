import type { Root } from 'mdast';
import { placesInCode } from './places-in-code';

const platformUrl = 'https://trawl.example.com';
const commands = (sourceUrl: string) => {
  const tree: Root = { type: 'root', children: [{ type: 'code', value: '{get-trawl}\ncurl {platform}/ip' }] };
  placesInCode({ platformUrl, sourceUrl })(tree);
  return (tree.children[0] as { value: string }).value.split('\n');
};

test('the install page gets the source code from SITE_SOURCE_URL, or else as the archive of the installation', () => {
  expect(commands('https://git.example.com/trawl')[0]).toBe('git clone https://git.example.com/trawl trawl');
  expect(commands('')).toEqual([`curl -fsS ${platformUrl}/source.tar.gz | tar -xz`, `curl ${platformUrl}/ip`]);
});
