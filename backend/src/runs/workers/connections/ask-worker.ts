import type { BackendToWorker } from '@trawl/contracts';
import type { WorkerSocket } from './worker-connections.service.js';

type QuestionEvent = {
  [Event in keyof BackendToWorker]: Parameters<BackendToWorker[Event]> extends [unknown, unknown] ? Event : never;
}[keyof BackendToWorker];
type Question<Event extends QuestionEvent> = Parameters<BackendToWorker[Event]>[0];
type Answer<Event extends QuestionEvent> = Parameters<
  Extract<Parameters<BackendToWorker[Event]>[1], (...args: never[]) => void>
>[0];

/**
 * Sends an event to a worker and waits for its acknowledgement.
 * @throws {Error} after `timeoutMs`, or as soon as the connection closes. Even then, the worker may have received the
 * event.
 */
export function askWorker<Event extends QuestionEvent>(
  socket: WorkerSocket,
  event: Event,
  question: Question<Event>,
  timeoutMs = 5_000,
): Promise<Answer<Event>> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      socket.off('disconnect', onDisconnect);
    };
    const fail = (reason: string) => {
      settle();
      reject(new Error(`${event}: ${reason}`));
    };
    const onDisconnect = () => fail('the connection to the worker closed');
    const timer = setTimeout(() => fail(`no answer within ${timeoutMs} ms`), timeoutMs);
    socket.once('disconnect', onDisconnect);
    const onAnswer = (answer: Answer<Event>) => {
      settle();
      resolve(answer);
    };
    socket.emit(event, ...([question, onAnswer] as unknown as Parameters<BackendToWorker[Event]>));
    if (!socket.connected) onDisconnect();
  });
}
