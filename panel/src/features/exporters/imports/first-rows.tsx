import type { ImportPreview } from '../../../api/entities.js';
import { ScrollFrame } from '../../../components/scroll/scroll-frame.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import type { PlannedColumn } from './import-plan.js';
import { previewText } from './preview-values.js';

interface FirstRowsProps {
  preview: ImportPreview;
  columns: readonly PlannedColumn[];
}

/** The first rows of the file, with the columns that are imported. */
export function FirstRows({ preview, columns }: FirstRowsProps) {
  const imported = columns.filter(({ isImported }) => isImported);
  if (preview.documents.length === 0 || imported.length === 0) return null;
  return (
    <ScrollFrame label="First rows of the file">
      <table className="table first-rows" aria-label="First rows">
        <thead>
          <tr>
            {imported.map(({ index, name, field }) => (
              <th scope="col" key={index}>
                <span className="clip">{inReadingOrder(field || name)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {preview.documents.map((document, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a preview have no identity but their position.
            <tr key={position}>
              {imported.map(({ index }) => {
                const text = previewText(preview, document, index);
                return (
                  <td key={index}>
                    <span className="clip" title={text}>
                      {text}
                    </span>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollFrame>
  );
}
