import { API_ERRORS, RUN_ERRORS } from '@trawl/contracts';
import { load } from 'cheerio/slim';
import { sharedPlatform } from '../harness/shared-platform.js';

const platform = sharedPlatform();

interface Target {
  status: number;
  ids: Set<string>;
  links: string[];
}

async function fetchTarget(address: string): Promise<Target> {
  const response = await fetch(address);
  const isPage = response.headers.get('content-type')?.includes('text/html');
  if (!isPage) {
    await response.body?.cancel();
    return { status: response.status, ids: new Set(), links: [] };
  }
  const $ = load(await response.text());
  const values = (selector: string, name: string) =>
    $(selector)
      .toArray()
      .map(element => $(element).attr(name) as string);
  return {
    status: response.status,
    ids: new Set(values('[id]', 'id')),
    links: [
      ...values('a[href]', 'href'),
      ...values('link[rel="stylesheet"]', 'href'),
      ...values('img[src], script[src]', 'src'),
    ],
  };
}

// Docusaurus fails a build with a broken link or anchor in a page, but knows no other addresses of the platform.
if (isFullTest)
  test('every link on the website leads to an existing page, and every anchor to an element', async () => {
    const seen = new Map<string, Target>();
    const waiting = ['/'];
    const links: { from: string; to: URL }[] = [];
    for (let path = waiting.pop(); path; path = waiting.pop()) {
      if (seen.has(path)) continue;
      const found = await fetchTarget(platform.url + path);
      seen.set(path, found);
      if (path.startsWith('/panel/') || found.status !== 200) continue;
      for (const href of found.links) {
        const to = new URL(href, platform.url + path);
        if (to.origin !== platform.url) continue;
        links.push({ from: path, to });
        waiting.push(to.pathname);
      }
    }
    const broken = links.filter(({ to }) => {
      const target = seen.get(to.pathname);
      return target?.status !== 200 || (to.hash && !target.ids.has(decodeURIComponent(to.hash.slice(1))));
    });
    expect([...new Set(broken.map(({ from, to }) => `${from} → ${to.pathname}${to.hash}`))]).toEqual([]);
    expect(seen.size).toBeGreaterThan(60);
  });

test('the documentation of API errors has an anchor for every error code', async () => {
  const { ids } = await fetchTarget(`${platform.url}/docs/joint-api/errors`);
  const codes = [API_ERRORS, RUN_ERRORS].flatMap(errors => Object.keys(errors));
  expect(codes.filter(code => !ids.has(`error-${code}`))).toEqual([]);
});
