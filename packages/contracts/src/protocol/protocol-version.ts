/**
 * Version of the worker protocol that this Trawl speaks. Raise it with a change that the version before would
 * misunderstand. A new field that the other side may ignore needs no new version. Worker and platform may differ by one
 * version, so both must also do what the version before expects.
 * See docs/decisions/0352-versions-next-to-each-other.md.
 */
export const PROTOCOL = 3;

/** The first version in which a small last chunk of echoes may be part of `finish`. */
export const CHUNK_IN_FINISH_PROTOCOL = 3;

/** The first version in which a worker understands a replay. An older one would run it with the network. */
export const REPLAY_PROTOCOL = 3;

/** Returns what to do if worker and platform cannot work together; null if they can. */
export function protocolProblem({ worker, platform }: { worker: number; platform: number }): string | null {
  if (Math.abs(worker - platform) <= 1) return null;
  const [older, newer] = worker < platform ? ['worker', 'platform'] : ['platform', 'worker'];
  return (
    `The worker speaks version ${worker} of the worker protocol and the platform version ${platform}; they may differ by ` +
    `one. Update the ${older} to the version of Trawl that the ${newer} has.`
  );
}
