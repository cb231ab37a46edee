import { screen } from '@testing-library/react';
import { listOf, showScreen } from '../../test-screen.js';
import EchoesRoute from './echoes.route.js';

const INVALID = { status: 400, body: { error_code: 'validation_failed', error_message: 'must be a UUID' } };

it.each([
  ['execution_id', 'run', 'All runs'],
  ['skript_id', 'skript', 'All skripts'],
])(
  'the echoes page says that the %s in its address does not exist, and links to the list',
  async (parameter, noun, list) => {
    showScreen(
      <EchoesRoute />,
      {
        'GET /joint-api/skript-execution/list': ({ call }) => (call.includes('skript_id') ? INVALID : listOf()),
        'GET /joint-api/skript-execution/undefined': INVALID,
        'GET /joint-api/skripts/undefined': INVALID,
        'GET /joint-api/skripts/list': listOf(),
      },
      `/developer/echoes?${parameter}=undefined`,
    );
    expect(await screen.findByText(`There is no ${noun} at this address`)).toBeTruthy();
    expect(screen.getByRole('link', { name: list })).toBeTruthy();
    expect(screen.queryByText(/UUID/)).toBeNull();
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
  },
);
