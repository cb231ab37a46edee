import { appForFile } from '../../../../test/test-app.js';
import { isPassword } from '../../../platform/auth/password-hash.js';
import { add, disable, enable, list, password } from './commands.js';

const { app, admin } = appForFile();
const printed: string[] = [];

beforeAll(() => {
  jest.spyOn(process.stdout, 'write').mockImplementation(text => printed.push(String(text)) > 0);
  // The commands read the settings of the backend from the environment.
  Object.assign(process.env, {
    POSTGRES_URL: app.config.postgresUrl,
    MONGODB_URI: app.config.mongodbUri,
    TRAWL_DATA_DIR: app.config.dataDir,
    TRAWL_SECRET: app.config.secret,
  });
});
afterAll(() => jest.restoreAllMocks());
beforeEach(() => {
  printed.length = 0;
});

const output = (): string => printed.join('');
const signIn = (username: string, secret: string) =>
  app.anonymous('POST', '/panel/login', { username, password: secret });

it('trawl-admin user add creates an account that can sign in and has a database', async () => {
  await add('Ada@Example.com', { random: true });
  const [, secret] = /^Password: (.+)$/m.exec(output()) ?? [];
  const { status, body } = await signIn('ada@example.com', String(secret));
  expect(status).toBe(200);
  expect(body.loggedUser.role).toBe('developer');
  const databases = await app.bearer(body.jwtToken)('GET', '/joint-api/mongo-databases/list');
  expect(databases.body.items).toMatchObject([{ name: 'main' }]);
  await expect(add('ada@example.com', { random: true })).rejects.toThrow(
    'An account named ada@example.com already exists.',
  );
  await add('ada+1@shop.online', { random: true });
  await expect(add('ada', { random: true })).rejects.toThrow('ada must be an e-mail address');
});

it('trawl-admin user add --admin creates an administrator', async () => {
  await add('grace@example.com', { admin: true, random: true });
  expect((await admin('GET', '/joint-api/users/list?name_contains=grace')).body.items[0].role).toBe('admin');
});

it('trawl-admin user password sets a new password and ends all sessions of the account', async () => {
  await add('mary@example.com', { random: true });
  const [, first] = /^Password: (.+)$/m.exec(output()) ?? [];
  const { jwtToken } = (await signIn('mary@example.com', String(first))).body;
  printed.length = 0;
  await password('mary@example.com', { random: true });
  const [, second] = /^Password: (.+)$/m.exec(output()) ?? [];
  expect(second).not.toBe(first);
  expect((await app.bearer(jwtToken)('GET', '/joint-api/account')).status).toBe(401);
  const [row] = await app.sql<{ password_hash: string }>(
    `SELECT password_hash FROM users WHERE username = 'mary@example.com'`,
  );
  expect(await isPassword(String(second), String(row?.password_hash))).toBe(true);
  await expect(password('nobody@example.com', { random: true })).rejects.toThrow(
    'There is no account named nobody@example.com.',
  );
});

it('trawl-admin user disable blocks an account until user enable, and refuses the last administrator', async () => {
  await add('lin@example.com', { random: true });
  const [, secret] = /^Password: (.+)$/m.exec(output()) ?? [];
  const { jwtToken } = (await signIn('lin@example.com', String(secret))).body;
  await disable('lin@example.com');
  expect((await app.bearer(jwtToken)('GET', '/joint-api/account')).status).toBe(401);
  expect((await signIn('lin@example.com', String(secret))).status).toBe(401);
  await enable('lin@example.com');
  expect((await signIn('lin@example.com', String(secret))).status).toBe(200);
  await app.sql(`DELETE FROM users WHERE username = 'grace@example.com'`);
  await expect(disable('admin')).rejects.toThrow('admin is the last administrator who can sign in.');
});

it('trawl-admin user list prints a line for each account', async () => {
  await add('eve@example.com', { random: true });
  await disable('eve@example.com');
  printed.length = 0;
  await list();
  const lines = output().split('\n');
  expect(lines[0]).toMatch(/^USER +ROLE +STATE +CREATED$/);
  expect(lines.find(line => line.startsWith('eve@'))).toMatch(
    /^eve@example.com +developer +disabled +\d{4}-\d\d-\d\d$/,
  );
  expect(lines.find(line => line.startsWith('admin '))).toMatch(/^admin +admin +active/);
});
