import { withLogFields } from './log-context.js';
import { makeLogger } from './logger.js';

const SECRET = 'nets-and-knots';

function logged(fields: object): string {
  const lines: string[] = [];
  makeLogger({ logLevel: 'info' }, { write: line => void lines.push(line) }).info(fields, 'something happened');
  return lines.join('');
}

it.each(['password', 'jwtToken', 'key', 'token'])('%s fields are redacted', name => {
  const line = logged({ body: { [name]: SECRET, username: 'ada' } });
  expect(line).toContain('"username":"ada"');
  expect(line).not.toContain(SECRET);
});

it.each([
  { req: { headers: { authorization: SECRET } } },
  { req: { headers: { cookie: SECRET } } },
  { res: { headers: { 'set-cookie': SECRET } } },
])('session headers are redacted: %j', fields => {
  expect(logged(fields)).not.toContain(SECRET);
});

it('the values of a failed query are not logged', () => {
  const error = Object.assign(new Error('duplicate key'), { code: '23505', parameters: [SECRET] });
  const line = logged({ err: error });
  expect(line).toContain('duplicate key');
  expect(line).not.toContain(SECRET);
});

it.each(['password', 'jwtToken', 'key', 'token'])('a %s of the line itself is redacted', name => {
  expect(logged({ [name]: SECRET })).not.toContain(SECRET);
});

it('all lines of a piece of work have its fields, also after an await, and lines of others do not', async () => {
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
