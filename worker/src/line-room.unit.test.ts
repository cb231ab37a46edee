import { LineRoom } from './line-room.js';

/** Which of them have got room, by name. */
let on: string[];
let room: LineRoom;

beforeEach(() => {
  on = [];
  room = new LineRoom(10);
});

const taken = async (name: string, bytes: number): Promise<() => void> => {
  const arrived = await room.take(bytes);
  on.push(name);
  return arrived;
};
const settled = () => new Promise(setImmediate);

it('lets on as much as fits, the others when something has arrived, each in its turn', async () => {
  const first = await taken('first', 4);
  const second = await taken('second', 6);
  const third = taken('third', 6);
  void taken('fourth', 1);
  first();
  await settled();
  expect(on).toEqual(['first', 'second']);
  second();
  await third;
  await settled();
  expect(on).toEqual(['first', 'second', 'third', 'fourth']);
});

it('lets on what is larger than the room when nothing else is on its way', async () => {
  const small = await taken('small', 1);
  const large = taken('large', 100);
  void taken('after', 1);
  small();
  const arrived = await large;
  await settled();
  expect(on).toEqual(['small', 'large']);
  arrived();
  await settled();
  expect(on).toEqual(['small', 'large', 'after']);
});
