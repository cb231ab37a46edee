import { Loader, type LoaderProps } from '@mantine/core';

/** Dots while something loads. `what` completes "Loading …". Without a role, the element could have no label. */
export const Loading = ({ what, ...props }: { what: string } & Omit<LoaderProps, 'type'>) => (
  <Loader type="dots" role="img" aria-label={`Loading ${what}`} {...props} />
);
