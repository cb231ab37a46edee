import { MantineProvider } from '@mantine/core';
import { fireEvent, render, screen } from '@testing-library/react';
import { COLUMNS_AT_ONCE, type PlannedColumn } from './import-plan.js';
import { MappingTable } from './mapping-table.js';

it('the import of a wide file shows some of its columns, and the others on request', () => {
  const columns = Array.from({ length: COLUMNS_AT_ONCE + 2 }, (_, index): PlannedColumn => {
    const name = `c${index}`;
    return { index, name, field: name, type: 'text', isImported: true, isTypeChosen: false };
  });
  const { container } = render(
    <MantineProvider env="test">
      <MappingTable columns={columns} into="collection" onEdit={() => {}} exampleOf={() => ''} />
    </MantineProvider>,
  );
  const shown = () => container.querySelectorAll('tbody tr').length;
  expect(shown()).toBe(COLUMNS_AT_ONCE);
  fireEvent.click(screen.getByText('Show 2 more of 2'));
  expect(shown()).toBe(COLUMNS_AT_ONCE + 2);
});
