import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import type { Skript } from '../../../../api/entities.js';
import { fill, press, sent, showScreen } from '../../../../test-screen.js';
import { NEW_SKRIPT } from '../skript-fields.js';
import { ContractCard } from './contract-card.js';

const UPDATE = 'PUT /joint-api/skripts/s1';
const skriptWith = (rows: Skript['rows']) => ({ ...NEW_SKRIPT, id: 's1', title: 'Books', rows }) as Skript;
const saved = () => sent.filter(({ call }) => call === UPDATE).map(({ body }) => body);

it('a contract is shown, changed and saved, and keeps the other fields', async () => {
  const rows = { min: 5, key: ['sku', 'shop'], fill: { price: 0.95 }, schema: { type: 'object' }, on_broken: 'hold' };
  showScreen(<ContractCard skript={skriptWith(rows as Skript['rows'])} />, { [UPDATE]: { body: skriptWith(null) } });
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'At least (%) 1' }).value).toBe('95');
  await fill('Least number of rows', '12');
  await press('Add a field that must be filled');
  await fill('Filled field 2', 'shop.city');
  await press('Save contract');
  await waitFor(() =>
    expect(saved()).toEqual([{ rows: { ...rows, min: 12, fill: { price: 0.95, 'shop.city': 0.95 } } }]),
  );
});

it('a contract whose fields are all emptied is removed', async () => {
  showScreen(<ContractCard skript={skriptWith({ fill: { price: 0.5 } })} />, { [UPDATE]: { body: skriptWith(null) } });
  await press('Remove filled field 1');
  await press('Save contract');
  await waitFor(() => expect(saved()).toEqual([{ rows: null }]));
});

it('a schema that is not JSON is refused at its field, and what the API refuses is reported there', async () => {
  const message = 'takes longer than 250 ms for small rows';
  const details = [{ field: 'rows.schema', message }];
  showScreen(<ContractCard skript={skriptWith(null)} />, {
    [UPDATE]: { status: 400, body: { error_message: message, details } },
  });
  const schema = screen.getByRole('textbox', { name: 'JSON Schema of each row' });
  await act(async () => fireEvent.change(schema, { target: { value: '{' } }));
  await press('Save contract');
  expect(screen.getByText('Enter valid JSON')).toBeTruthy();
  await act(async () => fireEvent.change(schema, { target: { value: '{}' } }));
  await press('Save contract');
  expect(await screen.findByText('JSON Schema of each row takes longer than 250 ms for small rows.')).toBeTruthy();
});
