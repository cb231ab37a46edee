import { IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { FoldedText } from '../values/folded-text.js';
import { inReadingOrder } from '../values/in-reading-order.js';
import { childrenOf, type JsonNode, previewOf, toNode } from './json-nodes.js';

/** Number of children shown at a time. Rendering all items of a huge array would block the page. */
const CHILDREN_AT_ONCE = 100;

function Name({ node }: { node: JsonNode }) {
  return node.name === null ? null : <span className="json-name">{inReadingOrder(node.name)}: </span>;
}

function Container({ node, openDepth, depth }: { node: JsonNode; openDepth: number; depth: number }) {
  const [isOpen, setOpen] = useState(depth < openDepth);
  const [shown, setShown] = useState(CHILDREN_AT_ONCE);
  return (
    <>
      <button type="button" className="json-toggle" aria-expanded={isOpen} onClick={() => setOpen(open => !open)}>
        <IconChevronRight size={13} aria-hidden />
        <Name node={node} />
        <span className="json-size">{isOpen ? node.text : inReadingOrder(previewOf(node))}</span>
      </button>
      {isOpen && (
        <ul className="json-children">
          {childrenOf(node, 0, shown).map(child => (
            <li key={child.name}>
              <Node node={child} openDepth={openDepth} depth={depth + 1} />
            </li>
          ))}
          {node.size > shown && (
            <li>
              <button type="button" className="json-more" onClick={() => setShown(count => count + CHILDREN_AT_ONCE)}>
                Show {Math.min(CHILDREN_AT_ONCE, node.size - shown)} more of {node.size - shown}
              </button>
            </li>
          )}
        </ul>
      )}
    </>
  );
}

function Node({ node, openDepth, depth }: { node: JsonNode; openDepth: number; depth: number }) {
  if (node.size > 0) return <Container node={node} openDepth={openDepth} depth={depth} />;
  return (
    <span className="json-leaf">
      <Name node={node} />
      <span className={`json-${node.kind}`}>
        <FoldedText text={inReadingOrder(node.text)} />
      </span>
    </span>
  );
}

/**
 * Shows a JSON value as a foldable tree. The first `openDepth` levels are open at first. The library
 * react-json-view-lite is not used, because it renders every item of an open array at once.
 */
export function JsonTree({ value, openDepth = 1 }: { value: unknown; openDepth?: number }) {
  return (
    <div className="json-tree">
      <Node node={toNode(null, value)} openDepth={openDepth} depth={0} />
    </div>
  );
}
