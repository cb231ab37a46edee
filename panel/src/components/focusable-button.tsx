import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithRef, MouseEvent } from 'react';

type FocusableButtonProps = ButtonProps & Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps>;

/**
 * A button that keeps the keyboard focus while it is loading or disabled. Browsers blur a button with `disabled`, so
 * keyboard users would have to start again at the top of the page.
 */
export function FocusableButton({ onClick, ...props }: FocusableButtonProps) {
  const isOff = Boolean(props.loading || props.disabled);
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    // Pressing Enter in a form field also clicks the button. While the button is off, that must not send the form.
    if (isOff) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <Button
      {...props}
      onClick={press}
      aria-disabled={isOff || undefined}
      aria-busy={props.loading || undefined}
      renderRoot={({ disabled: _, ...root }) => <button {...root} />}
    />
  );
}
