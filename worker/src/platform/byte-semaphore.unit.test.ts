import { ByteSemaphore } from './byte-semaphore.js';

/** Names of the requests for bytes that the semaphore has admitted. */
let admitted: string[];
let semaphore: ByteSemaphore;

beforeEach(() => {
  admitted = [];
  semaphore = new ByteSemaphore(10);
});

const taken = async (name: string, bytes: number): Promise<() => void> => {
  const release = await semaphore.take(bytes);
  admitted.push(name);
  return release;
};
const settled = () => new Promise(setImmediate);

it('the byte semaphore admits requests that fit, and the others in order as bytes are released', async () => {
  const first = await taken('first', 4);
  const second = await taken('second', 6);
  const third = taken('third', 6);
  void taken('fourth', 1);
  first();
  await settled();
  expect(admitted).toEqual(['first', 'second']);
  second();
  await third;
  await settled();
  expect(admitted).toEqual(['first', 'second', 'third', 'fourth']);
});

it('the byte semaphore admits a request above its capacity when no bytes are taken', async () => {
  const small = await taken('small', 1);
  const large = taken('large', 100);
  void taken('after', 1);
  small();
  const release = await large;
  await settled();
  expect(admitted).toEqual(['small', 'large']);
  release();
  await settled();
  expect(admitted).toEqual(['small', 'large', 'after']);
});
