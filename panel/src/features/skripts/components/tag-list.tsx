import { inReadingOrder } from '../../../components/values/in-reading-order.js';

interface TagListProps {
  tags: readonly string[];
  onChoose: (tag: string) => void;
}

/** The tags of a row. A click shows the rows with this tag. */
export const TagList = ({ tags, onChoose }: TagListProps) =>
  tags.map(tag => (
    <button
      key={tag}
      type="button"
      className="tag"
      title={`Show all with the tag ${inReadingOrder(tag)}`}
      onClick={() => onChoose(tag)}
    >
      {inReadingOrder(tag)}
    </button>
  ));
