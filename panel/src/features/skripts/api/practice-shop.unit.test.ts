import { withPracticeShop } from './practice-shop.js';

const INPUT = '{ "base_url": "http://127.0.0.1:3001", "shelf": "maps" }';

it.each([
  ['localhost', '3410', '3411'],
  ['127.0.0.1', '3000', '3001'],
  ['[::1]', '3010', '3011'],
  // Another machine, or a proxy, has no practice shop that the port would tell.
  ['trawl.example.com', '3410', '3001'],
  ['localhost', '', '3001'],
])('a template in the panel at %s:%s reads the practice shop on port %s', (hostname, port, shopPort) => {
  expect(withPracticeShop(INPUT, { hostname, port })).toBe(INPUT.replace('3001', shopPort));
});
