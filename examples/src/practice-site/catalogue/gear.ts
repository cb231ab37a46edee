import { type GearShelf, gearLines, gearMakers, gearMaterials, gearOrigins, gearPraise } from './gear-words.js';
import type { Random } from './random.js';
import type { Draft } from './shelving.js';

export function draftGear(shelf: GearShelf, random: Random): Draft {
  const kind = random.pick(shelf.kinds);
  const grams = random.whole(kind.grams[0], kind.grams[1]);
  return {
    title: `${random.pick(gearLines)} ${kind.name}, ${random.pick(kind.variants)}`,
    maker: random.pick(gearMakers),
    pounds: random.whole(kind.pounds[0], kind.pounds[1]),
    gtinPrefix: '40',
    // Weights from a kilogram up are rounded to ten grams.
    weightGrams: grams < 1000 ? grams : Math.round(grams / 10) * 10,
    description: `${random.pick(gearPraise)} ${random.pick(gearPraise)}`,
    details: [
      ['Material', random.pick(gearMaterials)],
      ['Made in', random.pick(gearOrigins)],
      ['Guarantee', `${random.pick([1, 2, 5, 10] as const)} years`],
    ],
  };
}
