export const reviewers = [
  'Agnes W.',
  'Björn',
  'Capt. R. Nairn',
  'Dafydd ap Ifan',
  'Élodie',
  'fairlead_77',
  'Gülşen',
  'Håkon & Mette',
  'İpek T.',
  'J. <deckhand>',
  'Kasia Ż.',
  'Lt. Moss',
  'Мария',
  'old salt',
  'Tomás Ó B.',
  '海野',
] as const;

/** By stars, 1 to 5. */
export const reviewTitles: readonly (readonly string[])[] = [
  ['Sank', 'Sent it back', 'No. Just no', 'Wrong size & wrong colour'],
  ['Not for me', 'Had hoped for more', 'Meh'],
  ['Does what it says', 'Fair enough', 'Half full', 'OK for the price'],
  ['Good, with one niggle', 'Pleased', 'Nearly perfect', 'Solid'],
  ['Would buy twice', 'A keeper', 'Exactly right', 'Bravo zulu', '★★★★★'],
];

export const reviewOpenings = [
  'Bought before the Easter cruise.',
  'A present from my crew.',
  'Third one I have owned.',
  'Arrived in 2 days, well packed.',
  'Used daily since May.',
  'I was doubtful at first.',
  'Tried it on the boat & at home.',
] as const;

/** By stars, 1 to 5. */
export const reviewBodies: readonly (readonly string[])[] = [
  [
    'It parted on the first evening, in < 2 knots of wind.',
    'The cat is now using it.',
    'Page 40 is missing, and so is the point.',
  ],
  ['The picture promises more than the parcel holds.', 'It works if nobody breathes.', 'Too heavy by half.'],
  [
    'Neither better nor worse than the old one.',
    'Instructions only in German, results universal.',
    'Good idea; the execution drags a little.',
  ],
  [
    'Everything fits, only the colour is not “navy”.',
    'One would wish for 5 cm more.',
    'Reads & handles easily, apart from the last part.',
  ],
  [
    'Took a full gale at 35 kn without a murmur.',
    'I lent it out and had to fight to get it back.',
    'Perfect down to the stitching – and the smell!',
  ],
];

export const reviewClosings = [
  'Recommended?',
  'More next season.',
  'My mate disagrees.',
  'Thanks to the shop for the quick answer.',
  'Fair winds!',
  '',
] as const;
