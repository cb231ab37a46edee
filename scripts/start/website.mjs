// @ts-check
import { buildWebsite, isWebsiteBuilt } from '../common/build.mjs';
import { explain } from '../common/problem.mjs';
import { errorLine } from '../common/terminal.mjs';
import { hasWebsiteState, removeWebsiteState, writeWebsiteState } from '../common/website-state.mjs';

/** Tells the backend whether the website will be built. Call it before the backend starts. */
export function announceWebsite() {
  if (isWebsiteBuilt()) removeWebsiteState();
  else writeWebsiteState({});
}

/**
 * Builds the announced website while the platform runs. Shows a failure, because panel and API work without the website.
 * @param {() => boolean} isStopping
 */
export async function buildAnnouncedWebsite(isStopping) {
  if (!hasWebsiteState()) return;
  try {
    await buildWebsite(writeWebsiteState);
    removeWebsiteState();
  } catch (error) {
    if (isStopping()) return;
    writeWebsiteState({ failed: true });
    errorLine(`${explain(error)}\nPanel and API work without the website. To try again, run: npm run build`);
  }
}
