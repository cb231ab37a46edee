/** @jest-environment ./panel/jest-environment.cjs */
import { MantineProvider } from '@mantine/core';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import type { FormEvent } from 'react';
import { SteadyButton } from './steady-button.js';

const onClick = jest.fn();
const onSubmit = jest.fn((event: FormEvent) => event.preventDefault());

const tree = (state: { loading?: boolean; disabled?: boolean }) => (
  <MantineProvider env="test">
    <form onSubmit={onSubmit}>
      <SteadyButton type="submit" onClick={onClick} {...state}>
        Run
      </SteadyButton>
    </form>
  </MantineProvider>
);

const button = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Run' });

afterEach(() => {
  cleanup();
  jest.clearAllMocks();
});

describe('a steady button', () => {
  it.each([{ loading: true }, { disabled: true }])('keeps the focus and does nothing while it is %j', state => {
    const { rerender } = render(tree({}));
    button().focus();
    rerender(tree(state));
    // A browser blurs a button that is disabled, and jsdom does not.
    expect(button().disabled).toBe(false);
    expect(document.activeElement).toBe(button());
    expect(button().getAttribute('aria-disabled')).toBe('true');
    fireEvent.click(button());
    expect(onClick).not.toHaveBeenCalled();
    expect(onSubmit).not.toHaveBeenCalled();
  });

  it('is an ordinary button otherwise', () => {
    render(tree({}));
    fireEvent.click(button());
    expect(button().getAttribute('aria-disabled')).toBeNull();
    expect(onClick).toHaveBeenCalledTimes(1);
    expect(onSubmit).toHaveBeenCalledTimes(1);
  });
});
