// The crawl of the skript and of the plain script: the same file, so that only their surroundings differ.

const AT_ONCE = 10;
const PER_BATCH = 100;

/** Returns what is stored of a page. */
const recordOf = (url, $) => ({
  url,
  title: $('title').text().trim(),
  headings: $('h1, h2, h3').length,
  tables: $('table').length,
  text: $('p').first().text().trim(),
});

/**
 * Follows all links from `start` to pages in the same folder, and stores a record of each page.
 * @param {object} options
 * @param {string} options.start
 * @param {(url: string) => Promise<string>} options.get returns the page's HTML
 * @param {typeof import('cheerio').load} options.load
 * @param {(records: object[]) => Promise<unknown>} options.store
 * @returns {Promise<number>} number of pages
 */
async function crawl({ start, get, load, store }) {
  const folder = new URL('.', start).href;
  const seen = new Set([start]);
  const queue = [start];
  let batch = [];
  let active = 0;

  const visit = async url => {
    const $ = load(await get(url));
    for (const link of $('a[href]').get()) {
      const { href } = new URL($(link).attr('href').replace(/#.*/s, ''), url);
      if (!href.startsWith(folder) || !href.endsWith('.html') || seen.has(href)) continue;
      seen.add(href);
      queue.push(href);
    }
    batch.push(recordOf(url, $));
    if (batch.length < PER_BATCH) return;
    const full = batch;
    batch = [];
    await store(full);
  };

  await new Promise((resolve, reject) => {
    const fill = () => {
      if (queue.length === 0 && active === 0) resolve();
      for (; active < AT_ONCE && queue.length > 0; active++) {
        visit(queue.shift()).then(() => {
          active -= 1;
          fill();
        }, reject);
      }
    };
    fill();
  });
  if (batch.length > 0) await store(batch);
  return seen.size;
}

module.exports = { crawl, recordOf };
