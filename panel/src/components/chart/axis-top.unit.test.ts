import { axisTop } from './axis-top.js';

it.each([
  [0, 1],
  [1, 1],
  [3, 5],
  [11, 20],
  [50, 50],
  [501, 1000],
])('the axis of a chart with values up to %i ends at %i', (max, top) => {
  expect(axisTop(max)).toBe(top);
});
