import type { ReactNode } from 'react';

/** A name and its value, within a `dl` of the class `facts-line`. */
export function Fact({ name, className, children }: { name: string; className?: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={className}>{children}</dd>
    </div>
  );
}
