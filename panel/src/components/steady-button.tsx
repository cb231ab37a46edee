import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithRef, MouseEvent } from 'react';

type SteadyButtonProps = ButtonProps & Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps>;

/**
 * A button that stays in the keyboard's reach while it is at work or has nothing to do: a browser takes the focus away
 * from a button that is disabled, and whoever pressed it would begin again at the top of the page.
 */
export function SteadyButton({ onClick, ...props }: SteadyButtonProps) {
  const isOff = Boolean(props.loading || props.disabled);
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    // A press by the Enter key in a form's field comes as a click as well.
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
