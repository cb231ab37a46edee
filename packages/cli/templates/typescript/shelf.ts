import * as cheerio from 'cheerio';

export interface Book {
  sku: string;
  title: string;
  price: string;
}

export interface Shelf {
  rows: Book[];
  /** Address of the next page; undefined after the last one. */
  next: string | undefined;
}

/** Reads one page of a shelf. */
export function readShelf(html: string, url: string): Shelf {
  const $ = cheerio.load(html);
  const rows = $('article.product')
    .toArray()
    .map(card => ({
      sku: card.attribs['data-sku'] ?? '',
      // The text of the link shortens long titles; its title attribute does not.
      title: $(card).find('.product-title a').attr('title') ?? '',
      price: $(card).find('ins.price').text().trim(),
    }));
  const href = $('link[rel=next]').attr('href');
  return { rows, next: href && new URL(href, url).href };
}
