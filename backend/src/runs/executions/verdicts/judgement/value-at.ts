/** Returns the value at a path of names joined by dots. A name may contain dots itself. */
export function valueAt(row: unknown, path: string): unknown {
  if (row === null || typeof row !== 'object') return undefined;
  if (Object.hasOwn(row, path)) return (row as Record<string, unknown>)[path];
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    if (Object.hasOwn(row, name)) return valueAt((row as Record<string, unknown>)[name], path.slice(dot + 1));
  }
  return undefined;
}
