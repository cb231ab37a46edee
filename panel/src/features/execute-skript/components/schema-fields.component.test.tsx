import { act, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { fill, showScreen } from '../../../test-screen.js';
import { type Entries, fieldsOf } from '../schema-form.js';
import { SchemaFields } from './schema-fields.js';

const fields = fieldsOf({ properties: { order: { type: 'integer' } } }) ?? [];

function Form() {
  const [entries, setEntries] = useState<Entries>({});
  return <SchemaFields fields={fields} entries={entries} problems={null} onChange={setEntries} />;
}

it('a number field of the input form keeps all digits of a large number when it loses the focus', async () => {
  showScreen(<Form />, {});
  await fill('order', '12345678901234567890');
  await act(async () => fireEvent.blur(screen.getByLabelText('order')));
  expect(screen.getByLabelText('order')).toHaveProperty('value', '12345678901234567890');
});
