import { authors, type BookShelf, bindings, bookPraise, languages, publishers } from './book-words.js';
import type { Random } from './random.js';
import type { Draft } from './shelving.js';

export function draftBook(shelf: BookShelf, random: Random): Draft {
  const named = random.pick(shelf.titles).replace('{}', random.pick(shelf.subjects));
  const title = named.charAt(0).toUpperCase() + named.slice(1);
  const pages = random.whole(24, 760);
  return {
    title: random.chance(0.6) ? `${title} (${random.pick(shelf.subtitles)})` : title,
    maker: random.pick(authors),
    pounds: random.whole(5, 68),
    gtinPrefix: random.chance(0.9) ? '978' : '979',
    weightGrams: random.chance(0.8) ? Math.round(pages * 1.3) + 60 : null,
    description: `${random.pick(bookPraise)} ${random.pick(bookPraise)}`,
    details: [
      ['Publisher', random.pick(publishers)],
      ['Binding', random.pick(bindings)],
      ['Pages', pages.toLocaleString('en-GB')],
      ['Language', random.pick(languages)],
    ],
  };
}
