import { plainToInstance } from 'class-transformer';
import { validate } from 'class-validator';
import { UpdateUserDto, UsersListQuery } from '../../people/users/users.dto.js';
import { ContactFormDto } from '../../people/www/forms/forms.dto.js';
import { MultiStartDto } from '../../runs/executions/start/multi-worker/multi-worker.dto.js';
import { CreateInputDto } from '../../runs/skripts/inputs/inputs.dto.js';
import { CreateSkriptDto } from '../../runs/skripts/skripts.dto.js';
import type { ApiError } from '../common/errors.js';
import { strictValidation } from './strict-validation.pipe.js';

const pipe = strictValidation();
type Dto = new () => object;
const checked = (metatype: Dto, value: unknown, type: 'body' | 'query' = 'body') =>
  pipe.transform(value, { type, metatype });
const refusal = async (metatype: Dto, value: unknown, type?: 'query'): Promise<ApiError> =>
  checked(metatype, value, type).then(
    () => Promise.reject(new Error('it was taken')),
    error => error,
  );

const MANY = 10_000;

test('exactly those values are accepted that meet the rules of class-validator', async () => {
  const bodies: [Dto, Record<string, unknown>][] = [
    [CreateSkriptDto, { title: 'Books', thumbnail: '', environment: 'nodejs', retries: 1, warm: true, category: 'x' }],
    [CreateInputDto, { skript_id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071', name: 'input.json', val: 1 }],
    [UpdateUserDto, { role: 'developer', disabled: false, expires_at: '2026-02-15T09:30:00Z' }],
    [UsersListQuery, { limit: 5, skip: 0, sort: 'username' }],
  ];
  const odd = [
    null,
    '',
    ' ',
    'x',
    'a\0',
    'é'.repeat(300),
    0,
    -1,
    0.5,
    1e9,
    Number.NaN,
    true,
    '2026',
    'https://x.example',
  ];
  for (const [dto, body] of bodies) {
    const changed = Object.keys(body).flatMap(name => odd.map(value => ({ ...body, [name]: value })));
    const without = Object.keys(body).map(name =>
      Object.fromEntries(Object.entries(body).filter(([other]) => other !== name)),
    );
    for (const fields of [body, ...changed, ...without]) {
      const errors = await validate(plainToInstance(dto, fields));
      const isAccepted = await checked(dto, fields).then(
        () => true,
        () => false,
      );
      expect([dto.name, fields, isAccepted]).toEqual([dto.name, fields, errors.length === 0]);
    }
  }
});

describe('the error for an invalid body', () => {
  it.each<[Dto]>([[CreateSkriptDto], [ContactFormDto]])('names only 20 of many unknown fields', async dto => {
    const fields = Object.fromEntries(Array.from({ length: MANY }, (_, n) => [`${'x'.repeat(n % 500)}${n}`, 1]));
    const { details, message } = await refusal(dto, fields);
    expect(details).toHaveLength(20);
    expect(message).toMatch(/; and 9980 more$/);
    expect(message.length + JSON.stringify(details).length).toBeLessThan(10_000);
  });

  it('names a nested field by its full path', async () => {
    const unknown = await refusal(UpdateUserDto, { quotas: { nope: 1 } });
    expect(unknown.details).toEqual([{ field: 'quotas.nope', message: 'quotas.nope is not a field of this call' }]);
    const wrong = await refusal(UpdateUserDto, { quotas: { skripts: '3' } });
    expect(wrong.details).toEqual([
      { field: 'quotas.skripts', message: expect.stringMatching(/^quotas\.skripts must /) },
    ]);
  });

  it.each([
    [{ title: '' }, 'title must have between 1 and 120 characters; you sent 0'],
    [{ title: '🐟'.repeat(121) }, 'title must have between 1 and 120 characters; you sent 121'],
    [{ title: 5 }, 'title must be a string'],
  ])('says how long a text may be and how long it is: %#', async (body, message) => {
    expect((await refusal(CreateSkriptDto, body)).details).toEqual([{ field: expect.any(String), message }]);
  });

  it('says what a missing field should be', async () => {
    const { details } = await refusal(CreateInputDto, {});
    expect(details).toEqual([
      { field: 'skript_id', message: expect.stringMatching(/^skript_id is missing; expected the id of a skript/) },
      { field: 'name', message: expect.stringMatching(/^name is missing; expected /) },
      { field: 'val', message: 'val is missing; expected any JSON value' },
    ]);
  });
});

describe('a misplaced object or array', () => {
  /** Number of times that the field of a `watched()` object was read. */
  let looks = 0;
  const watched = () =>
    Object.defineProperty({}, 'inside', {
      enumerable: true,
      get: () => {
        looks += 1;
        return 1;
      },
    });
  const many = () => Array.from({ length: 1_000 }, watched);
  beforeEach(() => {
    looks = 0;
  });

  it('is refused without being read in place of a plain value', async () => {
    await refusal(CreateSkriptDto, { title: many(), warm: watched(), category: { deeper: many() } });
    await refusal(UpdateUserDto, { quotas: { skripts: many() } });
    await refusal(MultiStartDto, { skript_id: many(), worker_ids: many() });
    expect(looks).toBe(0);
  });

  it('is read only once where any JSON is allowed, and passed on unchanged', async () => {
    const val = many();
    const input = { skript_id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071', name: 'input.json', val };
    expect(await checked(CreateInputDto, input)).toMatchObject({ val: expect.any(Array) });
    expect(looks).toBe(1_000);
    expect(((await checked(CreateInputDto, input)) as CreateInputDto).val).toBe(val);
  });

  it('is refused when the array is too long', async () => {
    const worker_ids = Array.from({ length: MANY }, (_, n) => `019a2b3c-4d5e-7f60-8a1b-${String(n).padStart(12, '0')}`);
    const { details } = await refusal(MultiStartDto, { skript_id: worker_ids[0], worker_ids });
    expect(details).toEqual([{ field: 'worker_ids', message: expect.stringContaining('no more than') }]);
  });
});

describe('text that reads as a number or boolean', () => {
  it('is converted in a query but not in a body', async () => {
    expect(await checked(UsersListQuery, { disabled: 'false', limit: '7' }, 'query')).toMatchObject({
      disabled: false,
      limit: 7,
    });
    expect((await refusal(UpdateUserDto, { disabled: 'false' })).details).toEqual([
      { field: 'disabled', message: expect.any(String) },
    ]);
    expect((await refusal(UsersListQuery, { limit: 'seven' }, 'query')).details).toEqual([
      { field: 'limit', message: expect.any(String) },
    ]);
  });
});
