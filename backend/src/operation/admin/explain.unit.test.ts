import { AdminError } from './admin-error.js';
import { explain } from './explain.js';

it.each([
  ['a name that is unknown', { code: 'ENOTFOUND', syscall: 'getaddrinfo' }],
  ['a port without a server', { code: 'ECONNREFUSED', message: '' }],
  ['a wrong password of PostgreSQL', { code: '28P01' }],
  ['a database that is missing', { code: '3D000' }],
  ['a MongoDB that is down', { name: 'MongoServerSelectionError' }],
  ['a wrong password of MongoDB', { name: 'MongoServerError', code: 18 }],
])('trawl-admin explains %s in one line, which says to run trawl-admin doctor', (_what, fields) => {
  const text = explain(Object.assign(new Error('reason'), fields));
  expect(text).toMatch(/^A server cannot be reached, or refuses the connection: .+ run: trawl-admin doctor$/);
});

it('trawl-admin prints only the message of an error that the operator can fix, and the stack of any other', () => {
  expect(explain(new AdminError('Create it first.'))).toBe('Create it first.');
  expect(explain(Object.assign(new Error('no such table'), { code: '42P01' }))).toContain('explain.unit.test');
});
