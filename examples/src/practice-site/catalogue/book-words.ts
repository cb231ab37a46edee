import type { Category } from './product.js';

export interface BookShelf extends Category {
  titles: readonly string[];
  subjects: readonly string[];
  subtitles: readonly string[];
}

export const authors = [
  'Åse Þórsdóttir',
  'Łukasz Żeglarski',
  'Núria Puigmar',
  '佐藤 美海',
  'Edwin Farthingale',
  'Marguerite d’Aubray',
  'Ọlá Adéwálé',
  'Jürgen Großmann-Siel',
  'Tamsin Penhallow',
  'Ίρις Θαλασσινού',
  'R. J. O’Dowda',
  'Søren Bæk & Ida Bæk',
  'Ximena Ibáñez Soto',
  'Wilhelmina Ashcroft',
] as const;

export const publishers = [
  'Lantern Row Press',
  'Bræk & Boks',
  'Half-Tide Editions',
  'Librería del Faro',
  'Ninth Wave Books',
] as const;
export const bindings = ['paperback', 'hardback', 'hardback with dust jacket', 'spiral-bound, waterproof'] as const;
export const languages = [
  'English',
  'English',
  'English',
  'Deutsch',
  'Français',
  'Español',
  'Norsk bokmål',
  '日本語',
] as const;

/** The kinds of books, with the words for their titles. In a title, `{}` stands for the subject of the book. */
export const bookShelves: readonly BookShelf[] = [
  {
    slug: 'sea-stories',
    name: 'Sea Stories',
    blurb: 'Salt water, told well.',
    titles: [
      'The {} Watch',
      'A Berth for {}',
      '{} at Slack Water',
      'What {} Owed the Harbour',
      'The Last Letter from {}',
    ],
    subjects: [
      'Captain Ilves',
      'the Grey Brig',
      'Mrs Tolliver',
      'Señor Marea',
      'the Pilot’s Daughter',
      'Cape Ferrow',
      'No One',
      'the Ångström',
    ],
    subtitles: ['a novel', 'a novel in nine tides', 'stories', 'collected & annotated', 'abridged'],
  },
  {
    slug: 'seamanship',
    name: 'Seamanship & Pilotage',
    blurb: 'How to do it, and how to do it when the engine has stopped.',
    titles: [
      '{} for Small Crews',
      'A Pocket Guide to {}',
      '{}: Theory & Practice',
      '{} Without Tears',
      'The Complete {}',
    ],
    subjects: [
      'Anchoring',
      'Knots < 10 Turns',
      'Coastal Pilotage',
      'Celestial Reckoning',
      'Heavy Weather',
      'Splicing',
      'Tides',
      'Diesel & Despair',
    ],
    subtitles: ['3rd edition', 'with 214 diagrams', 'revised', 'a workbook', '2nd ed., corrected'],
  },
  {
    slug: 'charts-atlases',
    name: 'Charts & Atlases',
    blurb: 'Paper that never needs charging.',
    titles: ['Atlas of {}', '{}: Small-Craft Folio', 'Chart 2147 – {}', 'The Historical {}', '{} by Lead & Line'],
    subjects: [
      'the Outer Skerries',
      'the Færøe Channel',
      'Ría de Arousa',
      'Kattegat & Øresund',
      'the Inland Sea',
      'the Wadden Sea',
      'Côte d’Émeraude',
    ],
    subtitles: ['1:50 000', '1:25,000, folded', 'flat', 'with tidal streams', 'facsimile of 1788'],
  },
  {
    slug: 'childrens-shelf',
    name: 'Children’s Shelf',
    blurb: 'For crew below the height of the guard rail.',
    titles: ['{} Learns to Row', 'Goodnight, {}', '{} and the Very Long Rope', 'Who Hid {}?', '{} Counts the Waves'],
    subjects: [
      'Otter Otto',
      'Little Buoy',
      'Grandma Kraken',
      'the Smallest Lighthouse',
      'Zoë the Zander',
      'Captain Crumb',
      'Bjørn-Bjørn',
    ],
    subtitles: ['a picture book', 'ages 3–6', 'with 30 stickers', 'board book', 'read-aloud'],
  },
];

export const bookPraise = [
  'Read it in one night watch & missed a light.',
  'The index alone is worth the price.',
  'With a foreword that nobody asked for and everybody quotes.',
  'Printed on paper that survives a spilt mug.',
  'Includes 16 colour plates, two of them the right way up.',
  '“Quietly exact” – The Harbour Gazette.',
  'Our bookseller cried <twice>.',
  'First published privately in an edition of 90.',
] as const;
