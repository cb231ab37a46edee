import { RecordRedaction } from './record-redaction.js';
import { RecordedAnswers } from './recorded-answers.js';
import { Replay, type ReplayEvents } from './replay.js';
import { installReplayNetwork } from './replay-network.js';

/**
 * Makes this process answer its HTTP requests from a record.
 *
 * @param secret JSON text of the input secret
 * @throws RecordRefused if the file is no record
 */
export async function startReplay(path: string, secret: string | null, events: ReplayEvents): Promise<Replay> {
  const replay = new Replay(await RecordedAnswers.open(path), new RecordRedaction(secret), events);
  installReplayNetwork(replay, events.missed === null);
  return replay;
}
