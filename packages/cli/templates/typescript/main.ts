import { echo } from '@trawl/echo';
import { dataset } from '@trawl/storage';
import axios from 'axios';
import { readShelf } from './shelf';

interface Input {
  /** Address of the practice shop. */
  base_url: string;
  shelf: string;
}

/** Stores a row for each book on a shelf of the practice shop. */
export default async ({ base_url, shelf }: Input): Promise<{ books: number }> => {
  let books = 0;
  let page: string | undefined = new URL(`/categories/${shelf}`, base_url).href;
  while (page !== undefined) {
    const { data } = await axios.get<string>(page, { timeout: 8000 });
    const { rows, next } = readShelf(data, page);
    await dataset.push(rows);
    books += rows.length;
    echo.log(`${books} books after ${page}`);
    page = next;
  }
  return { books };
};
