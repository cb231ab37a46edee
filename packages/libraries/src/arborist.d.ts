/** What is used of it; it has no types of its own. */
declare module '@npmcli/arborist' {
  export default class Arborist {
    constructor(options: Record<string, unknown>);
    buildIdealTree(options: object): Promise<{ meta: { commit(): { packages: Record<string, unknown> } } }>;
    loadVirtual(): Promise<unknown>;
    reify(options: object): Promise<unknown>;
  }
}

declare module 'npm-package-arg' {
  export interface Spec {
    /** `version`, `range`, `tag` and `alias` are of a registry. */
    type: string;
    /** The package's own name of an alias. */
    subSpec?: Spec;
  }
  /** @throws Error for a name or specification that npm does not know. */
  export function resolve(name: string, spec: string): Spec;
}
