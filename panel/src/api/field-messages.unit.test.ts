import { ApiError } from './api-error.js';
import { fieldMessages, isAtFields } from './field-messages.js';

const refused = (...details: { field: string; message: string }[]) =>
  new ApiError('It is wrong.', 400, 'validation_failed', details, null);
const URL = { field: 'destination.url', message: 'must begin with https://' };

it.each([
  ['thumbnail', 'thumbnail must be an https URL', 'The field must be an https URL.'],
  ['destination.url', 'must begin with https://', 'The field must begin with https://.'],
  ['destination.url', 'destination.url must have at most 9 characters', 'The field must have at most 9 characters.'],
  ['destination.url', 'url is missing; expected text', 'The field is missing; expected text.'],
  ['name', 'The name $bad must not contain $.', 'The name $bad must not contain $.'],
  ['title', 'titles are missing.', 'The field titles are missing.'],
])('fieldMessages replaces the name of the field %s by its label in the message: %s', (field, message, expected) => {
  expect(fieldMessages(refused({ field, message }), { [field]: 'The field' })).toEqual({ [field]: expected });
});

it('fieldMessages skips fields without a label, so that the notice reports them', () => {
  const error = refused(URL, { field: 'name', message: 'name is missing' });
  expect(fieldMessages(error, { 'destination.url': 'URL' })).toEqual({
    'destination.url': 'URL must begin with https://.',
  });
  expect(isAtFields(error, { 'destination.url': 'URL' })).toBe(false);
  expect(isAtFields(error, { 'destination.url': 'URL', name: 'Name' })).toBe(true);
  expect(isAtFields(new Error('It is down.'), { name: 'Name' })).toBe(false);
});
