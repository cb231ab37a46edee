/** Whether objects and arrays stand in each other more than `levels` deep. Needs no stack, however deep they are. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const containers = level.filter(item => typeof item === 'object' && item !== null);
    if (containers.length > 0 && depth >= levels) return true;
    level = containers.flatMap(container => Object.values(container as object));
  }
  return false;
}
