/**
 * The program of the child process that builds one bundle. It is a separate process because it reads untrusted code. It
 * reads one line of JSON (`BundleRequest`) from stdin, writes one line (`BundleResult`) to stdout and exits.
 */
import { bundleFiles } from '@trawl/bundler';
import type { BundleRequest } from './build-host/bundle-build.js';

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk);
// Without a request, the build host has ended.
if (chunks.length > 0) {
  const { files, filesDigest, timeLimitMs, ...request } = JSON.parse(Buffer.concat(chunks).toString()) as BundleRequest;
  // The backend also kills builds that hang. This timer ends the process even if the backend is gone.
  setTimeout(() => process.exit(1), timeLimitMs).unref();
  const result = await bundleFiles({
    ...request,
    files: new Map(files.map(({ name, content }) => [name, content])),
    // With this footer, the bundle's hash changes when any file of the skript changes, even one that no file imports.
    footer: `// files sha256:${filesDigest}`,
  });
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
