import {
  ECHO_TYPES,
  type Echo,
  type EchoLive,
  echoLiveSchema,
  type LiveEchoes,
  WORKER_NAMESPACE,
} from '@trawl/contracts';

const STRING = String.raw`"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"`;
const DAY = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;
const TIME = String.raw`"${DAY}T(?:[01]\d|2[0-3])(?::[0-5]\d){2}\.\d{3}Z"`;
const ECHO = String.raw`\{"type":"(?:${ECHO_TYPES.join('|')})","msg":${STRING},"time":${TIME},"seq":[1-9]\d{0,8}\}`;
const ID = '[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const BEGIN = `2${WORKER_NAMESPACE},["echo_live",`;
/**
 * Matches the packet of Socket.IO in which a worker sends live echoes, as `JSON.stringify` writes it. It accepts less than
 * `echoLiveSchema`, so what it matches needs no other check.
 */
const PACKET = new RegExp(
  String.raw`^\{"id":"(${ID})","from_seq":([1-9]\d{0,8}),"items":(\[${ECHO}(?:,${ECHO})*\]),"epoch":(\d{1,15})\}\]$`,
);

/**
 * A batch of live echoes of a run. It keeps the JSON text that the worker has sent, which goes to viewers as it is: to
 * parse each echo and serialise it again would take most of the backend's time.
 */
export class LiveBatch implements LiveEchoes {
  #items: Echo[] | undefined;

  /** @param itemsJson a list of echoes as JSON text, of which the form is checked */
  private constructor(
    readonly execution_id: string,
    readonly from_seq: number,
    private readonly itemsJson: string,
    /** The epoch of the frame. */
    readonly epoch: number,
  ) {}

  static of({ id, from_seq, items }: Pick<EchoLive, 'id' | 'from_seq' | 'items'>, epoch = 0): LiveBatch {
    return new LiveBatch(id, from_seq, JSON.stringify(items), epoch);
  }

  /** Reads a frame `echo_live`, if the worker wrote it in another form than `ofPacket` knows. Returns null if it is invalid. */
  static ofFrame(frame: unknown): LiveBatch | null {
    const { data } = echoLiveSchema.safeParse(frame);
    return data ? LiveBatch.of(data, data.epoch) : null;
  }

  /** Reads a packet of Socket.IO without parsing its echoes. Returns null if it has no live echoes, or in another form. */
  static ofPacket(packet: string): LiveBatch | null {
    if (!packet.startsWith(BEGIN)) return null;
    const [, id = '', fromSeq, items = '', epoch] = PACKET.exec(packet.slice(BEGIN.length)) ?? [];
    return id === '' ? null : new LiveBatch(id, Number(fromSeq), items, Number(epoch));
  }

  get items(): Echo[] {
    this.#items ??= JSON.parse(this.itemsJson) as Echo[];
    return this.#items;
  }

  /** Returns the batch as JSON text of `LiveEchoes`. */
  get json(): string {
    return `{"execution_id":"${this.execution_id}","from_seq":${this.from_seq},"items":${this.itemsJson}}`;
  }
}
