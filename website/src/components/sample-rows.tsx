import run from '@site/content/sample-run.json';
import type { ComponentProps } from 'react';

interface SampleRowsProps {
  className?: string;
  /** For a row that was stored before the echo of this number. */
  rowProps?: (echo: number) => ComponentProps<'tr'>;
}

/** Some of the rows that the sample run stored, from each page that it read. */
export function SampleRows({ className, rowProps }: SampleRowsProps) {
  return (
    <table className={className}>
      <thead>
        <tr>
          <th scope="col">sku</th>
          <th scope="col">title</th>
          <th scope="col">price</th>
        </tr>
      </thead>
      <tbody>
        {run.rows.map(({ sku, title, price, echo }) => (
          <tr key={sku} {...rowProps?.(echo)}>
            <td>{sku}</td>
            <td>{title}</td>
            <td>{price}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
