import type { RequestHandler } from '../browser/request-interception.js';
import { PageReplay } from './page-requests.js';
import { RecordRedaction } from './record-redaction.js';
import { RecordedAnswers } from './recorded-answers.js';
import { Replay, type ReplayEvents } from './replay.js';
import { installReplayNetwork } from './replay-network.js';

/**
 * Makes this process answer its HTTP requests from a record.
 *
 * @param secret JSON text of the input secret
 * @returns handles the requests of pages
 * @throws RecordRefused if the file is no record
 */
export async function startReplay(path: string, secret: string | null, events: ReplayEvents): Promise<RequestHandler> {
  const redaction = new RecordRedaction(secret);
  redaction.listenToSessions();
  const replay = new Replay(await RecordedAnswers.open(path), redaction, events);
  installReplayNetwork(replay);
  return new PageReplay(replay);
}
