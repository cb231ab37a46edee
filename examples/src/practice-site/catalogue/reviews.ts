import type { Review } from './product.js';
import type { Random } from './random.js';
import { reviewBodies, reviewClosings, reviewers, reviewOpenings, reviewTitles } from './review-words.js';
import { dayBefore } from './shelving.js';

/** The stars of a review are chosen from this list at random. Most are 4 or 5, so the average is near 4. */
const starsDealt = [1, 2, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5] as const;
const howMany = [0, 0, 1, 2, 3, 4, 4, 5, 6, 8, 11, 14] as const;

function ofStars(lists: readonly (readonly string[])[], stars: number): readonly string[] {
  return lists[stars - 1] ?? [];
}

/** Creates the reviews of one product, newest first. `firstNumber` is the number in the first id. */
export function reviewsOf(sku: string, firstNumber: number, random: Random): Review[] {
  const reviews = Array.from({ length: random.pick(howMany) }, () => {
    const stars = random.pick(starsDealt);
    const text = [random.pick(reviewOpenings), random.pick(ofStars(reviewBodies, stars)), random.pick(reviewClosings)];
    return {
      author: random.pick(reviewers),
      stars,
      writtenOn: dayBefore(random, 1500),
      title: random.pick(ofStars(reviewTitles, stars)),
      text: text.filter(Boolean).join(' '),
      verified: random.chance(0.7),
    };
  });
  return reviews
    .sort((a, b) => b.writtenOn.localeCompare(a.writtenOn))
    .map((review, index) => ({ id: `R-${String(firstNumber + index).padStart(5, '0')}`, sku, ...review }));
}

/** Returns the average of the stars with one decimal, or null without reviews. */
export function meanStars(reviews: readonly Review[]): number | null {
  if (reviews.length === 0) return null;
  const sum = reviews.reduce((total, review) => total + review.stars, 0);
  return Math.round((sum / reviews.length) * 10) / 10;
}
