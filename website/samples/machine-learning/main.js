const { createHash } = require('node:crypto');
const axios = require('axios');
const cheerio = require('cheerio');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const SPDX = {
  'licenses/by/4.0': 'CC-BY-4.0',
  'licenses/by-nc/4.0': 'CC-BY-NC-4.0',
  'publicdomain/zero/1.0': 'CC0-1.0',
};
const SAME_FROM = 0.5;
const MIN_WORDS = 5;

const sha256 = text => createHash('sha256').update(text).digest('hex');
const wordsOf = text => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Passages of one page, each with the fault under which the source files it and the licence that the page states. */
function passagesOf(body, { kind, licence }, path) {
  if (kind === 'jsonl')
    return body
      .trim()
      .split('\n')
      .map(line => {
        const { doc, fault, text } = JSON.parse(line);
        return { group: `${path}#${doc}`, label: fault, text, licence, attribution: null };
      });
  const $ = cheerio.load(body);
  const stated = /creativecommons\.org\/(.+?)\/?$/.exec($('link[rel="license"]').attr('href') ?? '')?.[1];
  return $('section[data-fault] p')
    .toArray()
    .map(node => ({
      group: path,
      label: $(node).parent().attr('data-fault'),
      text: $(node).text().trim(),
      licence: SPDX[stated] ?? null,
      attribution: $('meta[name="author"]').attr('content') ?? null,
    }));
}

/** How much two texts share: pairs of neighbouring words in both, as a part of those in either. */
function likeness(a, b) {
  const shared = [...a].filter(pair => b.has(pair)).length;
  return shared / (a.size + b.size - shared);
}

const pairsOf = text => new Set(wordsOf(text).map((word, place, all) => `${word} ${all[place + 1] ?? ''}`));

/** All passages of a group fall into the same split, in every run with the same seed. */
function splitOf(group, seed) {
  const place = Number.parseInt(sha256(seed + group).slice(0, 8), 16) / 0xffffffff;
  return place < 0.6 ? 'train' : place < 0.8 ? 'validation' : 'test';
}

module.exports = async ({ base_url, labels, licences, seed, collected_at }) => {
  const kept = [];
  const left_out = { licence: 0, label: 0, too_short: 0, near_duplicate: 0 };
  for (const source of (await axios.get(`${base_url}/sources.json`)).data)
    for (const path of source.pages) {
      const { data } = await axios.get(base_url + path, { responseType: 'text' });
      for (const passage of passagesOf(data, source, path)) {
        const label = passage.label.toLowerCase();
        const pairs = pairsOf(passage.text);
        const twin = kept.find(other => likeness(pairs, other.pairs) >= SAME_FROM);
        if (!licences.includes(passage.licence)) left_out.licence += 1;
        else if (!labels.includes(label)) left_out.label += 1;
        else if (wordsOf(passage.text).length < MIN_WORDS) left_out.too_short += 1;
        else if (twin) {
          left_out.near_duplicate += 1;
          twin.row.twins_removed += 1;
          twin.row.label_disputed ||= twin.row.label !== label;
        } else {
          const row = {
            example_id: sha256(wordsOf(passage.text).join(' ')).slice(0, 12),
            passage: passage.text,
            label,
            split: splitOf(passage.group, seed),
            split_group: passage.group,
            licence: passage.licence,
            attribution: passage.attribution,
            source_name: source.name,
            source_url: base_url + path,
            label_origin: 'heading of the source',
            label_disputed: false,
            words: wordsOf(passage.text).length,
            twins_removed: 0,
            source_fingerprint: sha256(data).slice(0, 16),
            collected_at,
          };
          kept.push({ row, pairs });
        }
      }
    }

  const rows = kept.map(({ row }) => row);
  for (const label of labels)
    if (!rows.some(row => row.label === label && row.split === 'train'))
      throw new Error(`No training example is labelled "${label}": nothing is stored. Bring sources or another seed.`);
  if (new Set(rows.map(({ split }) => split)).size < 3) throw new Error('A split is empty: nothing is stored.');
  const unnamed = rows.filter(({ licence, attribution }) => licence.startsWith('CC-BY') && !attribution);
  if (unnamed.length > 0)
    throw new Error(`${unnamed.length} rows need an attribution and have none: nothing is stored.`);
  await mongo.collection('examples').insertMany(rows);
  echo.objekt({ left_out });
  return { stored: rows.length, left_out };
};
