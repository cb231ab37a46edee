import { MantineProvider } from '@mantine/core';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import type { FormEvent } from 'react';
import { FocusableButton } from './focusable-button.js';

const onClick = jest.fn();
const onSubmit = jest.fn((event: FormEvent) => event.preventDefault());

const tree = (state: { loading?: boolean; disabled?: boolean }) => (
  <MantineProvider env="test">
    <form onSubmit={onSubmit}>
      <FocusableButton type="submit" onClick={onClick} {...state}>
        Run
      </FocusableButton>
    </form>
  </MantineProvider>
);

const button = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Run' });

afterEach(() => {
  cleanup();
  jest.clearAllMocks();
});

describe('a focusable button', () => {
  it.each([{ loading: true }, { disabled: true }])('keeps the focus and ignores clicks while it is %j', state => {
    const { rerender } = render(tree({}));
    button().focus();
    rerender(tree(state));
    // A browser would take the focus from a disabled button, but jsdom does not, so check the attribute as well.
    expect(button().disabled).toBe(false);
    expect(document.activeElement).toBe(button());
    expect(button().getAttribute('aria-disabled')).toBe('true');
    fireEvent.click(button());
    expect(onClick).not.toHaveBeenCalled();
    expect(onSubmit).not.toHaveBeenCalled();
  });

  it('handles clicks as an ordinary button when it is neither loading nor disabled', () => {
    render(tree({}));
    fireEvent.click(button());
    expect(button().getAttribute('aria-disabled')).toBeNull();
    expect(onClick).toHaveBeenCalledTimes(1);
    expect(onSubmit).toHaveBeenCalledTimes(1);
  });
});
