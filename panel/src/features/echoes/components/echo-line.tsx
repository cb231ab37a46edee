import type { Echo } from '@trawl/contracts';
import { parseJson } from '../../../components/json-tree/json-nodes.js';
import { JsonTree } from '../../../components/json-tree/json-tree.js';
import { beginningOf, FoldedText } from '../../../components/values/folded-text.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { TimeText } from '../../../components/values/time-text.js';
import { isRasterImage } from '../echo-image.js';
import { EchoProgress, EchoTable } from './drawn-echoes.js';

function Objekt({ msg }: { msg: string }) {
  const parsed = parseJson(msg);
  return 'value' in parsed ? <JsonTree value={parsed.value} openDepth={0} /> : <FoldedText text={msg} />;
}

function Image({ msg, seq }: { msg: string; seq: number }) {
  if (!isRasterImage(msg))
    return <span className="echo-note">This image is not shown: only raster images such as PNG or JPEG are.</span>;
  return <img className="echo-image" src={msg} alt={`Echo ${seq}`} />;
}

const DRAWN_TYPES: ReadonlySet<Echo['type']> = new Set(['objekt', 'image', 'progress', 'table']);

function Message({ echo: { type, msg, seq } }: { echo: Echo }) {
  if (type === 'objekt') return <Objekt msg={msg} />;
  if (type === 'image') return <Image msg={msg} seq={seq} />;
  if (type === 'progress') return <EchoProgress msg={msg} />;
  if (type === 'table') return <EchoTable msg={msg} />;
  return <FoldedText text={msg} />;
}

/** One echo. Its message is rendered as text, never as HTML. */
export function EchoLine({ echo: sent }: { echo: Echo }) {
  const echo = { ...sent, msg: inReadingOrder(sent.msg) };
  const { seq, type, msg } = echo;
  return (
    <div className="echo" data-type={type}>
      <span className="echo-seq">{seq}</span>
      <span className="echo-time">
        <TimeText iso={echo.time} as="clock" />
      </span>
      <span className="echo-type">{type}</span>
      <div className="echo-msg">
        {/* Short text has no state: a row that shows another echo keeps its text node. */}
        {DRAWN_TYPES.has(type) || beginningOf(msg) !== msg ? <Message key={seq} echo={echo} /> : msg}
      </div>
    </div>
  );
}
