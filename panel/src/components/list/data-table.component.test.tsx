import { Button, Menu } from '@mantine/core';
import { fireEvent, screen } from '@testing-library/react';
import { Link, Route, Routes } from 'react-router';
import { showScreen } from '../../test-screen.js';
import { type Column, DataTable } from './data-table.js';
import { RowMenu } from './row-menu.js';

const COLUMNS: Column<string>[] = [
  {
    key: 'name',
    title: 'Name',
    lead: true,
    render: name => (
      <Link className="cell-title" to={`/developer/${name}`}>
        {name}
      </Link>
    ),
  },
  { key: 'size', title: 'Size', render: () => '4 KiB' },
  {
    key: 'actions',
    title: 'Actions',
    actions: true,
    render: name => (
      <>
        <Button>Run {name}</Button>
        <RowMenu of={name}>
          <Menu.Item>Copy {name}</Menu.Item>
        </RowMenu>
      </>
    ),
  },
];

const query = { data: { items: ['books', 'maps'], total: 2 }, isPending: false, isError: false };

const show = () =>
  showScreen(
    <Routes>
      <Route
        path="here"
        element={
          <DataTable label="All" what="All" columns={COLUMNS} query={query as never} rowKey={name => name} empty="" />
        }
      />
      <Route path=":name" element={<p>opened</p>} />
    </Routes>,
    {},
  );

it('a click beside the title of a row opens the row', () => {
  show();
  fireEvent.click(screen.getAllByText('4 KiB')[1] as Element);
  expect(screen.getByText('opened')).toBeTruthy();
});

it('a click on a button or in the menu of a row does not open the row', async () => {
  show();
  fireEvent.click(screen.getByText('Run maps'));
  fireEvent.click(screen.getByRole('button', { name: 'More for maps' }));
  fireEvent.click(await screen.findByText('Copy maps'));
  expect(screen.queryByText('opened')).toBeNull();
});

it('a click that ends the selection of text does not open the row', () => {
  show();
  const size = screen.getAllByText('4 KiB')[0] as Element;
  getSelection()?.selectAllChildren(size);
  fireEvent.click(size);
  getSelection()?.removeAllRanges();
  expect(screen.queryByText('opened')).toBeNull();
});
