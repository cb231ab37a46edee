/// <reference lib="webworker" />
import { LiveRun } from './live-run.js';
import type { ToWorker } from './messages.js';

const run = new LiveRun((message, transfer) => self.postMessage(message, { transfer }));

self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => run.take(data));
