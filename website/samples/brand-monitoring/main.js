const { createHash } = require('node:crypto');
const axios = require('axios');
const cheerio = require('cheerio');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

/** How many letters must be changed, added or left out to get from one word to the other. */
const distance = (one, other) => {
  let line = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...one].entries()) {
    const next = [row + 1];
    for (const [at, wanted] of [...other].entries())
      next.push(Math.min(next[at] + 1, line[at + 1] + 1, line[at] + (letter === wanted ? 0 : 1)));
    line = next;
  }
  return line.at(-1);
};
const wordsOf = text => text.toLowerCase().match(/\p{L}+/gu) ?? [];
/** Of two texts, from 0 (no word in common) to 1. */
const likeness = (one, other) => {
  const [words, others] = [new Set(wordsOf(one)), new Set(wordsOf(other))];
  const shared = [...words].filter(word => others.has(word)).length;
  return shared / (words.size + others.size - shared);
};

/** What a source says, without authors and sellers: only the columns that its selectors name. */
const itemsOf = (body, { kind, item, headline, text, published, link }) => {
  if (kind === 'domain')
    return [...body.matchAll(/^(\S+) (\S+)$/gm)].map(([, date, name]) => ({
      headline: name,
      text: name.replace(/\..*/, '').replaceAll('-', ' '),
      published_raw: date,
      url: `https://${name}/`,
    }));
  const $ = cheerio.load(body, { xml: kind === 'news' });
  return $(item)
    .toArray()
    .map(node => ({
      headline: $(headline, node).text(),
      text: $(text, node).text(),
      published_raw:
        $(published, node).attr('datetime') ??
        $(published, node)
          .text()
          .replace(/^by [^,]+, /, ''),
      url: $(link, node).attr('href') ?? $(link, node).text(),
    }));
};

module.exports = async ({ base_url, brand, not_before, own_hosts, sources, topics, forum_offset, read_at }) => {
  const day = ago => new Date(Date.parse(read_at) - ago * 86_400_000).toISOString().slice(0, 10);
  const timeOf = raw => {
    const [date, clock] = raw.replace('today', day(0)).replace('yesterday', day(1)).split(', ');
    if (!/^\d\d:\d\d$/.test(clock)) return new Date(raw).toISOString();
    return new Date(`${date.split('.').reverse().join('-')}T${clock}${forum_offset}`).toISOString();
  };
  /** The first word at most one letter away from the brand, unless the next word makes it a name of something else. */
  const nameIn = text =>
    wordsOf(text).find(
      (word, at, all) => distance(word, brand.toLowerCase()) <= 1 && !not_before.includes(all[at + 1]),
    );

  const rows = [];
  for (const source of sources) {
    const address = new URL(source.path, base_url).href;
    const items = itemsOf((await axios.get(address)).data, source);
    if (items.length === 0) throw new Error(`${address} has no items. It is mended before its silence is believed.`);
    for (const { headline, text, published_raw, url } of items) {
      const matched_as = nameIn(text) ?? nameIn(headline);
      if (!matched_as || own_hosts.includes(new URL(url).host)) continue;
      const twin = source.kind === 'news' && rows.find(row => likeness(row.text, text) > 0.8);
      if (twin) {
        twin.copies += 1;
        continue;
      }
      const said = `${headline} ${text}`.toLowerCase();
      const named = Object.keys(topics).find(topic => topics[topic].some(word => said.includes(word)));
      const topic = source.kind === 'domain' ? 'lookalike domain' : (named ?? null);
      const sentence = text.split(/(?<=[.?]) /).find(each => wordsOf(each).includes(matched_as)) ?? headline;
      rows.push({
        mention_id: createHash('sha256').update(url).digest('hex').slice(0, 12),
        brand,
        kind: source.kind,
        topic,
        attention: ['recall', 'imitation', 'lookalike domain'].includes(topic) ? 'today' : 'this week',
        headline,
        excerpt: sentence.replace(/\S+@\S+|@\w+/g, '[removed]').slice(0, 160),
        matched_as,
        letters_off: distance(matched_as, brand.toLowerCase()),
        copies: 0,
        published_at: timeOf(published_raw),
        published_raw,
        host: new URL(url).host,
        url,
        read_at,
        text,
      });
    }
    echo.log(`${source.kind}: ${items.length} items read, ${rows.length} mentions so far`);
  }
  const early = rows.filter(({ published_at }) => Date.parse(published_at) > Date.parse(read_at));
  if (early.length > 0) throw new Error(`${early.length} mentions are from after the reading: a time zone is wrong.`);
  await mongo.collection('mentions').insertMany(rows.map(({ text, ...row }) => row));
  return { mentions: rows.length };
};
