import type { Category } from './product.js';

/** A kind of product with its variants, and its price range in pounds. */
interface GearKind {
  name: string;
  variants: readonly string[];
  pounds: readonly [low: number, high: number];
  grams: readonly [low: number, high: number];
}

export interface GearShelf extends Category {
  kinds: readonly GearKind[];
}

export const gearMakers = [
  'Skerry & Sons',
  'Nordløs Verft',
  'Três Marés',
  'O’Mahoney’s Chandlery',
  'Brightwork & Co.',
  'Kap Laterne GmbH',
  'Żagiel i Lina',
  'Tidewrack Tools',
  'Maison Goéland',
  'Larch & Copper',
] as const;

export const gearLines = [
  'Anholt',
  'Bosun’s',
  'Cormorant',
  'Dogwatch',
  'Eider',
  'Fulmar',
  'Gannet',
  'Höfn',
  'Isbjørn',
  'Kittiwake',
  'Lugger',
  'Mareel',
  'Petrel',
  'Quayside',
  'Sandpiper',
  'Ternøy',
] as const;

export const gearShelves: readonly GearShelf[] = [
  {
    slug: 'ropes-rigging',
    name: 'Ropes & Rigging',
    blurb: 'Lines that run, hold and come undone again.',
    kinds: [
      {
        name: 'Braided Sheet',
        variants: ['8 mm × 20 m', '10 mm × 30 m', '12 mm × 50 m'],
        pounds: [18, 160],
        grams: [600, 6200],
      },
      {
        name: 'Mooring Line',
        variants: ['with eye splice', 'set of 2', '14 mm, black'],
        pounds: [22, 120],
        grams: [900, 7400],
      },
      { name: 'Tarred Marline', variants: ['Ø < 3 mm', 'Ø 4 mm', '250 g cob'], pounds: [4, 19], grams: [120, 540] },
      { name: 'Snatch Block', variants: ['1.5 t', '2.5 t', 'bronze'], pounds: [45, 420], grams: [380, 2600] },
      { name: 'Splicing Fid Set', variants: ['steel', 'boxwood', '"Starter"'], pounds: [12, 68], grams: [90, 720] },
    ],
  },
  {
    slug: 'deck-hardware',
    name: 'Deck Hardware',
    blurb: 'Cleats, winches and other things that hurt a bare foot.',
    kinds: [
      { name: 'Horn Cleat', variants: ['150 mm', '200 mm', 'galvanised'], pounds: [7, 58], grams: [150, 1400] },
      {
        name: 'Two-Speed Winch',
        variants: ['size 16', 'size 30', 'size 40 ST'],
        pounds: [390, 1890],
        grams: [2900, 11500],
      },
      { name: 'Folding Anchor', variants: ['3.2 kg', '6 kg', '10 kg'], pounds: [24, 210], grams: [3200, 10000] },
      { name: 'Hatch Hinge', variants: ['pair', 'brass, pair', '90° stop'], pounds: [9, 74], grams: [110, 680] },
      {
        name: 'Bilge Pump',
        variants: ['manual', '12 V', '24 V & float switch'],
        pounds: [19, 265],
        grams: [700, 4100],
      },
    ],
  },
  {
    slug: 'lights-lamps',
    name: 'Lights & Lamps',
    blurb: 'To see, to be seen, and to read by.',
    kinds: [
      {
        name: 'Gimballed Oil Lamp',
        variants: ['brass', 'copper', 'with smoke bell'],
        pounds: [55, 340],
        grams: [640, 2300],
      },
      { name: 'Anchor Light', variants: ['2 nm', '3 nm, LED', 'hoist'], pounds: [21, 190], grams: [140, 900] },
      { name: 'Chart Table Lamp', variants: ['red/white', 'dimmable', 'USB'], pounds: [26, 145], grams: [180, 760] },
      { name: 'Hand Lantern', variants: ['wind-up', '600 lm', 'yellow'], pounds: [14, 96], grams: [260, 1250] },
    ],
  },
  {
    slug: 'navigation',
    name: 'Navigation',
    blurb: 'Where you are, where you are going, and what the difference will cost.',
    kinds: [
      {
        name: 'Hand-Bearing Compass',
        variants: ['± 1°', 'rubber-cased', 'illuminated'],
        pounds: [48, 260],
        grams: [150, 520],
      },
      { name: 'Brass Sextant', variants: ['boxed', '7 × 35 scope', 'No. 4'], pounds: [690, 3480], grams: [1200, 4800] },
      { name: 'Parallel Rule', variants: ['38 cm', '46 cm', 'acrylic'], pounds: [11, 62], grams: [90, 480] },
      {
        name: 'Aneroid Barometer',
        variants: ['“Fair & Foul”', '120 mm', 'chrome'],
        pounds: [38, 410],
        grams: [420, 1700],
      },
      { name: 'Fog Horn', variants: ['mouth-blown', 'gas, 380 ml', 'bellows'], pounds: [8, 155], grams: [80, 2100] },
    ],
  },
  {
    slug: 'foul-weather',
    name: 'Foul-Weather Clothing',
    blurb: 'There is bad weather too, whatever they say.',
    kinds: [
      { name: 'Oilskin Smock', variants: ['S–XXL', 'ochre', 'child’s'], pounds: [49, 380], grams: [520, 1600] },
      { name: 'Ribbed Guernsey', variants: ['navy', 'undyed', 'men’s/women’s'], pounds: [64, 198], grams: [480, 1150] },
      { name: 'Deck Boot', variants: ['EU 36–47', 'lined', 'short'], pounds: [32, 240], grams: [900, 1900] },
      { name: 'Watch Cap', variants: ['merino', '100 % wool', 'grey–blue'], pounds: [9, 44], grams: [50, 140] },
    ],
  },
  {
    slug: 'galley-cabin',
    name: 'Galley & Cabin',
    blurb: 'Small comforts with fiddle rails.',
    kinds: [
      { name: 'Enamel Mug', variants: ['350 ml', 'set of 4', 'white/blue'], pounds: [5, 38], grams: [140, 720] },
      {
        name: 'Spirit Stove',
        variants: ['1 burner', '2 burners', 'gimballed'],
        pounds: [72, 590],
        grams: [1900, 7200],
      },
      { name: 'Ship’s Kettle', variants: ['1.8 l', 'broad-based', 'copper'], pounds: [24, 185], grams: [600, 1850] },
      {
        name: 'Bunk Cushion',
        variants: ['kapok', '190 × 60 cm', 'herring-bone'],
        pounds: [29, 220],
        grams: [800, 4200],
      },
    ],
  },
];

export const gearPraise = [
  'Made for wet hands and short tempers.',
  'Tested through two winters on the Skerryvore run.',
  'Holds at −20 °C & does not mind 40 °C.',
  'The finish wears in, not off.',
  'Every part can be taken apart with one <13 mm> spanner.',
  'Comes in a cotton bag, for once without plastic.',
  'Our own crew’s choice since the spring refit.',
  'Smaller than it looks in the picture; stronger, too.',
  'Spare parts: ask at the counter, we keep them for 15 years.',
  'Not for towing, lifting people or winning arguments.',
] as const;

export const gearMaterials = [
  'bronze',
  'stainless steel (A4)',
  'polyester',
  'larch & brass',
  'anodised aluminium',
  'waxed cotton',
  'HMPE',
  'enamelled steel',
] as const;

export const gearOrigins = [
  'Norway',
  'Portugal',
  'Éire',
  'Österreich',
  'Polska',
  'Scotland',
  'Ísland',
  'Brittany',
] as const;
