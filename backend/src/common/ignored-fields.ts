import { Allow } from 'class-validator';

/** Read-only fields of an entity, which a PUT may send back as they came and which change nothing. */
export const IgnoredFields =
  (...names: string[]): ClassDecorator =>
  target => {
    for (const name of names) Allow()(target.prototype, name);
  };
