// @ts-check
// Loaded into the backend by the benchmark: sums the time that the profiles of rows take, and writes it into a file.
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { RunProfiler } from '../../backend/dist/runs/executions/verdicts/profile/run-profiler.js';

const { BENCH_PROFILE_FILE = '' } = process.env;
if (isMainThread) {
  let ms = 0;
  const { addDocuments } = RunProfiler.prototype;
  RunProfiler.prototype.addDocuments = function (target, documents, count) {
    const beganAt = performance.now();
    const checking = addDocuments.call(this, target, documents, count);
    ms += performance.now() - beganAt;
    return checking;
  };
  // The profile is asked for when the run ends, which is not a part of a push.
  const { profile } = RunProfiler.prototype;
  RunProfiler.prototype.profile = function (rows, writes, requests) {
    writeFileSync(BENCH_PROFILE_FILE, String(ms));
    ms = 0;
    return profile.call(this, rows, writes, requests);
  };
}
