import { act, screen } from '@testing-library/react';
import { toApiError } from '../../api/api-error.js';
import { showScreen } from '../../test-screen.js';
import { MessageText } from './message-text.js';
import { notifyError } from './notify.js';
import { ErrorState } from './states.js';

const codes = () => [...document.querySelectorAll('code')].map(({ textContent }) => textContent);
const refusal = (message: string) => toApiError({ error_message: message }, 400);

it.each([
  ['Send `limit`, or `next`.', 'Send limit, or next.', ['limit', 'next']],
  ['The table is named a`b.', 'The table is named a`b.', []],
  ['`a\u202eb` is no name.', 'ab is no name.', ['ab']],
])('the message %j shows text between backticks as code', (message, text, shown) => {
  showScreen(
    <p data-testid="message">
      <MessageText of={message} />
    </p>,
    {},
  );
  expect([screen.getByTestId('message').textContent, codes()]).toEqual([text, shown]);
});

it('errors and notifications show text between backticks of API messages as code', async () => {
  showScreen(<ErrorState what="The file could not be read" error={refusal('Choose another `encoding`.')} />, {});
  await act(async () => notifyError('The file was not sent', refusal('Send it without `Content-Encoding`.')));
  expect(codes().toSorted()).toEqual(['Content-Encoding', 'encoding']);
  expect(document.body.textContent).not.toContain('`');
});
