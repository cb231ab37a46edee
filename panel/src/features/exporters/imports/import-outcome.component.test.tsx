import { screen } from '@testing-library/react';
import type { Import } from '../../../api/entities.js';
import { showScreen } from '../../../test-screen.js';
import { ImportOutcome } from './import-outcome.js';

it('the result of an import uses the singular for one document and one bad row', () => {
  const item = { state: 'done', inserted: 1, updated: 0, bad_rows: 1 } as Import;
  showScreen(<ImportOutcome item={item} targetHref={null} />, {});
  expect(screen.getByText('1 document added, 1 bad row left out')).toBeTruthy();
});
