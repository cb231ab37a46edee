import type { OpenAPIObject } from '@nestjs/swagger';

interface Parameter {
  name: string;
  in: string;
}

/**
 * Moves parameters that several operations share into `components`. If several different parameters have the same name,
 * moves only the one that is used most.
 */
export function shareParameters(document: OpenAPIObject): OpenAPIObject {
  const operations = Object.values(document.paths).flatMap(path =>
    Object.values(path as Record<string, { parameters?: object[] }>),
  );
  const uses = new Map<string, number>();
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    const text = JSON.stringify(parameter);
    uses.set(text, (uses.get(text) ?? 0) + 1);
  }
  const names = new Map<string, string>();
  const shared: Record<string, object> = {};
  for (const [text, count] of [...uses].sort(([, one], [, other]) => other - one)) {
    const parameter = JSON.parse(text) as Parameter;
    const name = componentName(parameter);
    if (count < 2 || name in shared) continue;
    shared[name] = parameter;
    names.set(text, name);
  }
  for (const operation of operations) {
    operation.parameters = operation.parameters?.map(parameter => {
      const name = names.get(JSON.stringify(parameter));
      return name ? { $ref: `#/components/parameters/${name}` } : parameter;
    });
  }
  return { ...document, components: { ...document.components, parameters: shared as never } };
}

/** Returns a name that differs for a parameter in a path and a parameter with the same name in a query. */
const componentName = ({ name, in: place }: Parameter): string =>
  name.replaceAll(/(?:^|[^A-Za-z0-9])([A-Za-z0-9])/g, (_match, letter: string) => letter.toUpperCase()) +
  (place === 'path' ? 'InPath' : '');
