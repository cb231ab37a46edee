/**
 * The program of the build host (`build-host.ts`). It starts a process for each build, and ends with the backend.
 */

import { preferThisSession } from '../../../../platform/common/processor-priority.js';
import { buildInProcess, killBuilds } from './build-process.js';
import type { BuildAnswer, BuildOrder } from './bundle-build.js';

preferThisSession();

process.on('message', async ({ id, request, user }: BuildOrder) => {
  const answer = await buildInProcess(request, user).then(
    (result): BuildAnswer => ({ id, result }),
    ({ code, message }: NodeJS.ErrnoException): BuildAnswer => ({ id, failure: { code, message } }),
  );
  if (process.connected) process.send?.(answer);
});

process.on('disconnect', () => {
  killBuilds();
  process.exit();
});
