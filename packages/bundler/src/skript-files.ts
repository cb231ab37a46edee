/** The files of a skript by their names, such as a `Map` of their contents. */
export interface SkriptFiles {
  has(name: string): boolean;
  get(name: string): string | undefined;
  keys(): Iterable<string>;
}
