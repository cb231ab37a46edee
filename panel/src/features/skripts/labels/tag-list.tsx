import { inReadingOrder } from '../../../components/values/in-reading-order.js';

/** A row of one line has room for so many. */
const SHOWN = 3;

interface TagListProps {
  tags: readonly string[];
  onChoose: (tag: string) => void;
}

/** The tags of a row. A click shows the rows with this tag. */
export function TagList({ tags, onChoose }: TagListProps) {
  if (tags.length === 0) return null;
  const more = tags.slice(SHOWN);
  return (
    <span className="tags">
      {tags.map(tag => (
        <button
          key={tag}
          type="button"
          className="tag"
          title={`Show all with the tag ${inReadingOrder(tag)}`}
          onClick={() => onChoose(tag)}
        >
          {inReadingOrder(tag)}
        </button>
      ))}
      {more.length > 0 && (
        <span className="tags-more" title={more.map(inReadingOrder).join(', ')}>
          +{more.length}
        </span>
      )}
    </span>
  );
}
