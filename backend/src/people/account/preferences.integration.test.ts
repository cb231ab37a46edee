import { appForFile } from '../../../test/test-app.js';

const { developer, admin } = appForFile();

const PATH = '/joint-api/account/preferences';
const preferences = async (api = developer) => (await api('GET', '/joint-api/account')).body.preferences;
const filter = (fields: object = {}) => ({ list: 'runs', name: 'Failed', query: 'action=error', ...fields });

test('the preferences of an account have defaults, keep what a change leaves out, and are its own', async () => {
  expect(await preferences()).toEqual({ rows: 'compact', saved_filters: [] });
  expect(await developer('PUT', PATH, { rows: 'comfortable' })).toMatchObject({
    status: 200,
    body: { rows: 'comfortable', saved_filters: [] },
  });
  const saved_filters = [filter(), filter({ list: 'skripts', name: 'Täglich' })];
  await developer('PUT', PATH, { saved_filters });
  expect(await preferences()).toEqual({ rows: 'comfortable', saved_filters });
  expect(await preferences(admin)).toEqual({ rows: 'compact', saved_filters: [] });
  expect((await developer('PUT', PATH, {})).body).toEqual({ rows: 'comfortable', saved_filters });
});

test.each([
  ['another height of rows', { rows: 'tiny' }, 'rows'],
  ['filters that are no list', { saved_filters: {} }, 'saved_filters'],
  ['too many filters', { saved_filters: Array.from({ length: 51 }, () => filter()) }, 'saved_filters'],
  ['a filter of another list', { saved_filters: [filter({ list: 'users' })] }, 'saved_filters.0.list'],
  ['a filter without a name', { saved_filters: [filter({ name: '' })] }, 'saved_filters.0.name'],
  ['a long query', { saved_filters: [filter({ query: 'x'.repeat(1_001) })] }, 'saved_filters.0.query'],
  ['half of a surrogate pair', { saved_filters: [filter({ name: '\ud800' })] }, 'saved_filters.0.name'],
  ['a NUL character', { saved_filters: [filter({ name: '\u0000' })] }, 'saved_filters.0.name'],
  ['another field', { saved_filters: [filter({ colour: 'red' })] }, 'saved_filters.0'],
])('the API refuses %s as a preference, and names the field', async (_kind, body, field) => {
  expect(await developer('PUT', PATH, body)).toMatchObject({ status: 400, body: { details: [{ field }] } });
});
