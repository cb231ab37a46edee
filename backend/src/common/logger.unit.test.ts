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
