import type { PageWords } from '../../src/components/metadata/page-meta';

export const NOT_FOUND: PageWords & { text: string; home: string; nearest: string } = {
  title: 'Page not found',
  description:
    'There is no page at this address of Trawl. Check the address for mistakes, or go to the home page and find your way from there.',
  keywords: ['404', 'page not found', 'Trawl'],
  text: "Oops! The page you're looking for isn't here. It looks like nothing was found at this location. Check the URL for mistakes and try again.",
  home: 'Go Home',
  nearest: 'Pages with a similar address',
};
