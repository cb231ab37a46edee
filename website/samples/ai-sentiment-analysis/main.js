const { got } = require('got');
const cheerio = require('cheerio');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const METHOD = 'word-list-en-1';
const EMOTIONS = {
  joy: { love: 3, great: 2, excellent: 3, good: 1.5, lovely: 2, happy: 2, easy: 1 },
  trust: { reliable: 2, sturdy: 2, trust: 2, dry: 1, recommend: 2, thank: 1 },
  surprise: { surprise: 0.5 },
  fear: { dangerous: -3, scared: -2.5, worried: -1 },
  anger: { furious: -3, rude: -2.5, refused: -2, awful: -2.5, terrible: -3 },
  sadness: { sad: -2 },
  disappointment: {
    useless: -2,
    disappointing: -2.5,
    broke: -2.5,
    leaks: -2,
    leak: -2,
    bad: -2,
    short: -1,
    rained: -1,
  },
};
const NEGATIONS = new Set(['not', 'no', 'never', 'without', "doesn't", "don't"]);
const STRONGER = new Set(['very', 'really', 'so', 'too']);

const lexicon = new Map(
  Object.entries(EMOTIONS).flatMap(([emotion, words]) =>
    Object.entries(words).map(([word, weight]) => [word, { emotion, weight }]),
  ),
);

/** The text without markup, and without what names a writer: signatures, handles, addresses. */
function withoutNames(html) {
  let removed = 0;
  const text = cheerio
    .load(html.replace(/<br\s*\/?>/g, '\n'))
    .text()
    .replace(/(— ?|\bRegards, )[^\n.]+\.?$|@\w+(?!\S*@)|\S+@\S+/g, () => {
      removed += 1;
      return '[removed]';
    });
  return { text: text.replace(/\s+/g, ' ').trim(), removed };
}

/** Each listed word of a sentence: turned round after a negation, half as strong again after "very" and after "but". */
function wordsOf(sentence) {
  const tokens = sentence.match(/[a-z']+/g) ?? [];
  const turn = tokens.lastIndexOf('but');
  return tokens.flatMap((word, place) => {
    const entry = lexicon.get(word);
    if (!entry) return [];
    const negated = tokens.slice(Math.max(0, place - 3), place).some(before => NEGATIONS.has(before));
    const factor = (STRONGER.has(tokens[place - 1]) ? 1.5 : 1) * (turn >= 0 && place > turn ? 1.5 : 1);
    return { word, negated, emotion: entry.emotion, weight: entry.weight * factor * (negated ? -0.7 : 1) };
  });
}

/** Where a model of yours would be asked instead: one POST with the text, an answer in the same shape. */
function judge(text) {
  const words = text
    .toLowerCase()
    .split(/[.!?;]/)
    .flatMap(wordsOf);
  const sum = words.reduce((total, { weight }) => total + weight, 0);
  const score = Math.round((sum / Math.sqrt(sum * sum + 6)) * 100) / 100;
  const felt = words
    .filter(({ negated, weight }) => !negated && weight * score >= 0)
    .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
  const sides = new Set(words.filter(({ weight }) => Math.abs(weight) >= 1).map(({ weight }) => weight > 0));
  return {
    polarity: score >= 0.3 ? 'positive' : score <= -0.3 ? 'negative' : 'neutral',
    score,
    emotion: felt[0]?.emotion ?? 'none',
    evidence: words.map(({ word, negated }) => (negated ? `not ${word}` : word)).join(', ') || null,
    mixed: sides.size === 2,
  };
}

module.exports = async ({ base_url, language, judged_at }) => {
  const rows = new Map();
  const left_out = { other_language: 0, empty: 0 };
  for (let next = '/api/reviews/1.json'; next; ) {
    const page = await got(new URL(next, base_url)).json();
    for (const { id, product, lang, date, stars, body } of page.items) {
      const { text, removed } = withoutNames(body);
      if (lang !== language) left_out.other_language += 1;
      else if (text === '') left_out.empty += 1;
      else {
        const { polarity, score, emotion, evidence, mixed } = judge(text);
        const against = (stars >= 4 && polarity === 'negative') || (stars <= 2 && polarity === 'positive');
        rows.set(id, {
          review_id: id,
          product,
          review_text: text,
          stars,
          polarity,
          polarity_score: score,
          emotion,
          evidence,
          mixed,
          language: lang,
          posted_on: new Date(`${date} UTC`).toISOString().slice(0, 10),
          names_removed: removed,
          agrees_with_stars: stars === null ? null : !against,
          for_a_person: mixed || (stars !== null && against) || evidence === null,
          judged_by: METHOD,
          review_url: new URL(`/reviews/${id}`, base_url).href,
          judged_at,
        });
      }
    }
    next = page.next;
  }

  const mute = [...rows.values()].filter(({ evidence }) => evidence === null).length;
  if (mute > rows.size / 4)
    throw new Error(`${mute} of ${rows.size} texts have no word of the list: nothing is stored.`);
  await mongo.collection('sentiment').insertMany([...rows.values()]);
  echo.objekt({ left_out });
  return { stored: rows.size, left_out };
};
