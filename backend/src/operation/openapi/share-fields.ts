import type { OpenAPIObject } from '@nestjs/swagger';

interface Schema {
  type?: string;
  properties?: Record<string, object>;
  required?: string[];
  additionalProperties?: unknown;
  allOf?: object[];
}

/** Fewer common fields than this are not worth a reference. */
const MIN_FIELDS = 4;

/**
 * Writes schemas that have all fields of another one as `allOf` that schema and the rest, because Swagger repeats the
 * fields of a base class in each class. Bodies of requests stay as they are: they allow no other fields, which an
 * `allOf` cannot say.
 */
export function shareFields(document: OpenAPIObject): OpenAPIObject {
  const { schemas = {} } = document.components ?? {};
  const open = (Object.entries(schemas) as [string, Schema][]).filter(
    ([, schema]) => schema.properties && schema.additionalProperties === undefined,
  );
  // Only schemas that stay whole can be the base of others, so the largest common part comes first.
  const bases = open.toSorted(([, one], [, other]) => sizeOf(other) - sizeOf(one));
  const shared = open.map(([name, schema]) => {
    const base = bases.find(([, candidate]) => sizeOf(candidate) >= MIN_FIELDS && contains(schema, candidate));
    return [name, base ? extend(schema, ...base) : schema];
  });
  return {
    ...document,
    components: { ...document.components, schemas: { ...schemas, ...Object.fromEntries(shared) } },
  };
}

const sizeOf = ({ properties = {} }: Schema): number => Object.keys(properties).length;

/** Whether the schema has all fields of a smaller one, with the same rules. */
function contains(schema: Schema, smaller: Schema): boolean {
  const { properties = {}, required = [] } = schema;
  return (
    sizeOf(smaller) < sizeOf(schema) &&
    (smaller.required ?? []).every(name => required.includes(name)) &&
    Object.entries(smaller.properties ?? {}).every(
      ([name, field]) => JSON.stringify(field) === JSON.stringify(properties[name]),
    )
  );
}

function extend(
  { type: _type, properties = {}, required = [], ...rest }: Schema,
  baseName: string,
  base: Schema,
): Schema {
  const own = Object.entries(properties).filter(([name]) => !(name in (base.properties ?? {})));
  const ownRequired = required.filter(name => !base.required?.includes(name));
  return {
    ...rest,
    allOf: [
      { $ref: `#/components/schemas/${baseName}` },
      {
        type: 'object',
        properties: Object.fromEntries(own),
        ...(ownRequired.length > 0 ? { required: ownRequired } : {}),
      },
    ],
  };
}
