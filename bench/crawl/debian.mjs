// @ts-check
// The pages that are crawled, and Scrapy, from Debian's archive. Unpacked in the cache folder, installed nowhere.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from '@trawl/embedded';
import { fetchDebianPackages } from '@trawl/embedded/debian-packages';

const DEPENDENCIES = [
  'depends',
  '--recurse',
  ...['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(kind => `--no-${kind}`),
];

/** @returns {Promise<string>} folder of the HTML pages of PostgreSQL's documentation */
export async function documentation() {
  const folder = await unpacked('bench-postgresql-doc', async apt => {
    const found = /Depends: (postgresql-doc-\d+)/.exec(await apt('apt-cache', 'depends', 'postgresql-doc'));
    if (!found?.[1]) throw new Error('apt knows no package postgresql-doc. Debian is needed for this benchmark.');
    return [found[1]];
  });
  const docs = join(folder, 'usr', 'share', 'doc');
  const name = readdirSync(docs).find(entry => entry.startsWith('postgresql-doc-'));
  return join(docs, String(name), 'html');
}

/** @returns {Promise<Record<string, string>>} environment in which /usr/bin/python3 finds Scrapy */
export async function scrapyEnvironment() {
  const folder = await unpacked('bench-scrapy', async apt => {
    const output = await apt('apt-cache', ...DEPENDENCIES, 'python3-scrapy', 'python3-pymongo');
    const names = output.split('\n').filter(line => /^(python3-|libxslt1\.1|libxml2|libicu)/.test(line));
    return [...new Set(names)].filter(name => !name.includes(':'));
  });
  return {
    PYTHONPATH: join(folder, 'usr', 'lib', 'python3', 'dist-packages'),
    LD_LIBRARY_PATH: join(folder, 'usr', 'lib', process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu'),
  };
}

/**
 * @param {string} name
 * @param {import('@trawl/embedded/debian-packages').DebianPackages['packages']} packages
 */
async function unpacked(name, packages) {
  const folder = join(cacheDir(), name);
  if (!existsSync(folder)) {
    console.error(`Fetching Debian packages for ${name} (once)`);
    await fetchDebianPackages({ folder, packages });
  }
  return folder;
}
