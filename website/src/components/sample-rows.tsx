import run from '@site/content/sample-run.json';

/** The first rows that the sample run stored. */
export function SampleRows({ className }: { className?: string }) {
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
        {run.rows.map(({ sku, title, price }) => (
          <tr key={sku}>
            <td>{sku}</td>
            <td>{title}</td>
            <td>{price}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
