import type { Type } from '@nestjs/common';
import { OmitType, PartialType } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';

const API_PROPERTY = 'swagger/apiModelProperties';

/** Fields of an update that the body of a creation does not have in this way. */
interface Differences<Left, Cleared> {
  /** Fields that the update does not have, or that the derived class declares again with other rules. */
  without?: readonly Left[];
  /** Fields that null removes. */
  clearable?: readonly Cleared[];
}

type Changes<T, Left extends keyof T, Cleared extends keyof T> = Partial<Omit<T, Left | Cleared>> & {
  [Name in Cleared]?: T[Name] | null;
};

/**
 * Derives the body of an update from the body of a creation: the same fields with the same rules, but all may be
 * omitted, and none has a default.
 */
export function ChangesOf<
  T extends object,
  Left extends keyof T & string = never,
  Cleared extends keyof T & string = never,
>(create: Type<T>, { without = [], clearable = [] }: Differences<Left, Cleared> = {}): Type<Changes<T, Left, Cleared>> {
  // A field that must not be null in a creation must not be null in an update either.
  const Optional = PartialType(OmitType(create, without), { skipNullProperties: false });
  class Derived extends (Optional as Type<object>) {
    constructor() {
      super();
      // The defaults of the creation, which would overwrite fields that the caller omits.
      for (const name of Object.keys(this)) delete (this as Record<string, unknown>)[name];
    }
  }
  for (const name of fieldsOf(Optional)) copyRules(create, Derived, name);
  for (const name of clearable) {
    IsOptional()(Derived.prototype, name);
    const documented = Reflect.getMetadata(API_PROPERTY, Derived.prototype, name);
    const documentation = { ...documented, description: `${documented.description} Null removes it.`, nullable: true };
    Reflect.defineMetadata(API_PROPERTY, documentation, Derived.prototype, name);
  }
  return Derived as Type<Changes<T, Left, Cleared>>;
}

const fieldsOf = (dto: Type): string[] =>
  (Reflect.getMetadata(`${API_PROPERTY}Array`, dto.prototype) as string[]).map(name => name.slice(1));

/** Copies the metadata of a field that `PartialType` does not copy, such as that of `fields.ts`. */
function copyRules(create: Type, changes: Type, name: string): void {
  for (const key of Reflect.getMetadataKeys(create.prototype, name)) {
    if (!Reflect.hasMetadata(key, changes.prototype, name))
      Reflect.defineMetadata(key, Reflect.getMetadata(key, create.prototype, name), changes.prototype, name);
  }
  const { default: byDefault, ...documentation } = Reflect.getMetadata(API_PROPERTY, changes.prototype, name);
  Reflect.defineMetadata(API_PROPERTY, { example: byDefault, ...documentation }, changes.prototype, name);
}
