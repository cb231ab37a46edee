import type { UseQueryResult } from '@tanstack/react-query';
import { screen } from '@testing-library/react';
import { showScreen } from '../../../test-screen.js';
import type { Preview } from './preview.js';
import { PreviewTable } from './preview-table.js';

const show = (isFetching: boolean) =>
  showScreen(
    <PreviewTable
      query={{ data: undefined, isError: false, isFetching } as UseQueryResult<Preview>}
      rows={[]}
      columns={[]}
      isLater={false}
      isUnfiltered={false}
    />,
    {},
  );

it('the preview of an export asks for the data while the form names none', () => {
  show(false);
  expect(screen.getByText('Choose the data to see its first rows.')).toBeTruthy();
});

it('the preview of an export says that it loads, with a label that screen readers can read', () => {
  show(true);
  expect(screen.queryByText('Choose the data to see its first rows.')).toBeNull();
  expect(screen.getByText('Loading the first rows…')).toBeTruthy();
  expect(screen.getByRole('img', { name: 'Loading the preview' })).toBeTruthy();
});
