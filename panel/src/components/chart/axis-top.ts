/** Returns the top of the axis: the next of 1, 2, 5, 10, 20, … so that the half of it is a round number too. */
export function axisTop(max: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, max)));
  return [1, 2, 5, 10].map(step => step * power).find(top => top >= max) ?? 1;
}
