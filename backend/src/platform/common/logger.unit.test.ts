import { withLogFields } from './log-context.js';
import { makeLogger } from './logger.js';

const SECRET = 'nets-and-knots';

function logged(fields: object): string {
  const lines: string[] = [];
  makeLogger({ logLevel: 'info' }, { write: line => void lines.push(line) }).info(fields, 'something happened');
  return lines.join('');
}

it.each(['password', 'jwtToken', 'key', 'token'])('the log redacts the field %s of an object', name => {
  const line = logged({ body: { [name]: SECRET, username: 'ada' } });
  expect(line).toContain('"username":"ada"');
  expect(line).not.toContain(SECRET);
});

it.each([
  { req: { headers: { authorization: SECRET } } },
  { req: { headers: { cookie: SECRET } } },
  { res: { headers: { 'set-cookie': SECRET } } },
])('the log redacts session headers: %j', fields => {
  expect(logged(fields)).not.toContain(SECRET);
});

it('the log leaves out the parameter values of a failed SQL query', () => {
  const error = Object.assign(new Error('duplicate key'), { code: '23505', parameters: [SECRET] });
  const line = logged({ err: error });
  expect(line).toContain('duplicate key');
  expect(line).not.toContain(SECRET);
});

it.each(['password', 'jwtToken', 'key', 'token'])('the log redacts the field %s of the line itself', name => {
  expect(logged({ [name]: SECRET })).not.toContain(SECRET);
});

it('log lines of a request have its fields, even after an await, and lines of other requests do not', async () => {
  const lines: any[] = [];
  const logger = makeLogger({ logLevel: 'info' }, { write: line => void lines.push(JSON.parse(line)) });
  const work = async (request_id: string) => {
    await new Promise(setImmediate);
    logger.info({ user: request_id }, 'done');
  };
  const works = ['a', 'b'].map(id => withLogFields({ request_id: id }, () => work(id)));
  logger.info('outside');
  await Promise.all(works);
  expect(lines.map(({ msg, user, request_id }) => [msg, user, request_id])).toEqual([
    ['outside', undefined, undefined],
    ['done', 'a', 'a'],
    ['done', 'b', 'b'],
  ]);
});
