/** Types of those parts of the modules that this package uses. npm publishes no types for these modules. */
declare module '@npmcli/arborist' {
  export default class Arborist {
    constructor(options: Record<string, unknown>);
    buildIdealTree(options: object): Promise<{ meta: { commit(): { packages: Record<string, unknown> } } }>;
    loadVirtual(): Promise<unknown>;
    reify(options: object): Promise<unknown>;
  }
}

declare module 'pacote' {
  const pacote: {
    tarball: {
      stream(spec: string, read: (stream: NodeJS.ReadableStream) => Promise<void>, options: object): Promise<void>;
    };
    manifest(spec: string, options: object): Promise<{ name: string; version: string }>;
  };
  export default pacote;
}

declare module '@npmcli/agent' {
  import type { Agent as HttpAgent } from 'node:http';

  export class Agent extends HttpAgent {
    constructor(options: object);
    /** Has no `url` if requests use no proxy. */
    readonly proxy: { url?: URL };
  }
  export function getAgent(url: string, options: object): Agent;
}

declare module 'npm-package-arg' {
  export interface Spec {
    /** Kind of the version. Packages of the types `version`, `range`, `tag` and `alias` come from a registry. */
    type: string;
    /** The target of an alias. */
    subSpec?: Spec;
  }
  /** @throws Error for an invalid name or version */
  export function resolve(name: string, spec: string): Spec;
}
