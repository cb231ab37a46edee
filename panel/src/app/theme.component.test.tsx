import { FileButton, FileInput, MantineProvider } from '@mantine/core';
import { fireEvent, render, screen } from '@testing-library/react';
import { theme } from './theme.js';

it.each([
  [
    'FileButton',
    <FileButton key="field" onChange={() => {}}>
      {props => <button {...props}>Choose</button>}
    </FileButton>,
  ],
  ['FileInput', <FileInput key="field" aria-label="Choose" value={new File(['1'], 'a.js')} />],
])('a %s forgets its file before its dialog opens, so that the user can choose the same file again', (_, field) => {
  const { container } = render(
    <MantineProvider env="test" theme={theme} withCssVariables={false} withGlobalClasses={false}>
      {field}
    </MantineProvider>,
  );
  const input = container.querySelector('input[type="file"]') as HTMLInputElement;
  const values: string[] = [];
  // jsdom lets no script choose a file.
  Object.defineProperty(input, 'value', { configurable: true, set: value => values.push(value) });
  fireEvent.click(screen.getByRole('button'));
  expect(values).toEqual(['']);
});
