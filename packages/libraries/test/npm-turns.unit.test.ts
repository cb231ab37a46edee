import { NpmTurns, type QueuePlace } from '../src/npm-turns.js';

let begun: string[];
let ended: string[];
let places: Record<string, QueuePlace>;

function turn(name: string) {
  return {
    name,
    begin: () => {
      begun.push(name);
    },
    moved: (place: QueuePlace | null) => {
      if (place) places[name] = place;
      else delete places[name];
    },
    endSlow: () => {
      ended.push(name);
    },
  };
}

beforeEach(() => {
  begun = [];
  ended = [];
  places = {};
});

test('accounts take turns with npm installations, and each account runs one at a time', () => {
  const turns = new NpmTurns({ atOnce: 2, maxSlow: 0 });
  const many = Array.from({ length: 12 }, (_, n) => turn(`attacker ${n}`));
  for (const each of many) turns.add('attacker', each);
  const own = turn('neighbour');
  turns.add('neighbour', own);
  expect(begun).toEqual(['attacker 0', 'neighbour']);
  turns.remove(own);
  expect(begun).toEqual(['attacker 0', 'neighbour']);
  turns.remove(many[0] as never);
  expect(begun).toEqual(['attacker 0', 'neighbour', 'attacker 1']);
});

test('each waiting npm installation is told its place in the queue', () => {
  const turns = new NpmTurns({ atOnce: 1, maxSlow: 0 });
  const [a0, a1, a2, b0] = ['a0', 'a1', 'a2', 'b0'].map(turn) as [never, never, never, never];
  for (const each of [a0, a1, a2]) turns.add('a', each);
  turns.add('b', b0);
  expect(places).toEqual({ b0: { place: 1, of: 3 }, a1: { place: 2, of: 3 }, a2: { place: 3, of: 3 } });
  turns.remove(a0);
  expect([begun, places]).toEqual([['a0', 'b0'], { a1: { place: 1, of: 2 }, a2: { place: 2, of: 2 } }]);
  turns.remove(a1);
  turns.remove(b0);
  expect(begun).toEqual(['a0', 'b0', 'a2']);
});

test('an npm installation that several accounts need gets the best of their places in the queue', () => {
  const turns = new NpmTurns({ atOnce: 1, maxSlow: 0 });
  const all = Array.from({ length: 4 }, (_, n) => turn(`attacker ${n}`));
  for (const each of all) turns.add('attacker', each);
  turns.add('neighbour', all[3] as never);
  expect(places['attacker 3']).toEqual({ place: 1, of: 3 });
  turns.remove(all[0] as never);
  expect(begun).toEqual(['attacker 0', 'attacker 3']);
});

test('a slow npm installation lets another account start, but blocks others of its own account', () => {
  const turns = new NpmTurns({ atOnce: 1, maxSlow: 1 });
  const [a0, a1, b0, c0] = ['a0', 'a1', 'b0', 'c0'].map(turn) as [never, never, never, never];
  for (const each of [a0, a1]) turns.add('a', each);
  turns.add('b', b0);
  turns.add('c', c0);
  for (let times = 0; times < 2; times += 1) turns.slow(a0);
  expect(begun).toEqual(['a0', 'b0']);
  turns.remove(a0);
  expect(begun).toEqual(['a0', 'b0']);
  turns.remove(b0);
  expect([begun, ended]).toEqual([['a0', 'b0', 'c0'], []]);
});

test('the npm installation that has been slow for the longest time is ended if too many are slow', () => {
  const turns = new NpmTurns({ atOnce: 1, maxSlow: 1 });
  const [a, b, c] = ['a', 'b', 'c'].map(turn) as [never, never, never];
  turns.add('a', a);
  turns.slow(a);
  turns.add('b', b);
  turns.slow(b);
  expect(ended).toEqual(['a']);
  turns.add('c', c);
  turns.slow(c);
  expect([begun, ended]).toEqual([
    ['a', 'b', 'c'],
    ['a', 'b'],
  ]);
});
