import type { BackendToWorker } from '@trawl/contracts';
import type { WorkerSocket } from './worker-connections.js';

type Asked = {
  [Event in keyof BackendToWorker]: Parameters<BackendToWorker[Event]> extends [unknown, unknown] ? Event : never;
}[keyof BackendToWorker];
type Question<Event extends Asked> = Parameters<BackendToWorker[Event]>[0];
type Answer<Event extends Asked> = Parameters<
  Extract<Parameters<BackendToWorker[Event]>[1], (...args: never[]) => void>
>[0];

/**
 * Sends an event that a worker acknowledges.
 * @throws when no answer has come after `timeoutMs`, or as soon as the connection is gone: then it may have arrived or not.
 */
export function askWorker<Event extends Asked>(
  socket: WorkerSocket,
  event: Event,
  question: Question<Event>,
  timeoutMs = 5_000,
): Promise<Answer<Event>> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      socket.off('disconnect', onGone);
    };
    const fail = (reason: string) => {
      settle();
      reject(new Error(`${event}: ${reason}`));
    };
    const onGone = () => fail('the connection to the worker is gone');
    const timer = setTimeout(() => fail(`no answer in ${timeoutMs} ms`), timeoutMs);
    socket.once('disconnect', onGone);
    const onAnswer = (answer: Answer<Event>) => {
      settle();
      resolve(answer);
    };
    socket.emit(event, ...([question, onAnswer] as unknown as Parameters<BackendToWorker[Event]>));
    if (!socket.connected) onGone();
  });
}
