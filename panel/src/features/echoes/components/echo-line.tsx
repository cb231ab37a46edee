import type { Echo } from '@trawl/contracts';
import { parseJson } from '../../../components/json-tree/json-nodes.js';
import { JsonTree } from '../../../components/json-tree/json-tree.js';
import { TimeText } from '../../../components/time-text.js';
import { isRasterImage } from '../echo-image.js';

function Objekt({ msg }: { msg: string }) {
  const parsed = parseJson(msg);
  return 'value' in parsed ? <JsonTree value={parsed.value} openDepth={0} /> : <span>{msg}</span>;
}

function Image({ msg, seq }: { msg: string; seq: number }) {
  if (!isRasterImage(msg))
    return <span className="echo-note">An image that is not shown: only raster images are.</span>;
  return <img className="echo-image" src={msg} alt={`Echo ${seq}`} />;
}

/** One echo. Its text is only ever text. */
export function EchoLine({ echo }: { echo: Echo }) {
  return (
    <div className="echo" data-type={echo.type}>
      <span className="echo-seq">{echo.seq}</span>
      <span className="echo-time">
        <TimeText iso={echo.time} as="clock" />
      </span>
      <span className="echo-type">{echo.type}</span>
      <div className="echo-msg">
        {echo.type === 'objekt' ? (
          <Objekt msg={echo.msg} />
        ) : echo.type === 'image' ? (
          <Image msg={echo.msg} seq={echo.seq} />
        ) : (
          echo.msg
        )}
      </div>
    </div>
  );
}
