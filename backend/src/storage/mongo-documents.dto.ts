import { EnumField, IntField, StringField } from '../common/fields.js';
import { MAX_LIMIT, MAX_SKIP } from '../common/list-query.js';

const ID_TYPES = ['objectId', 'string', 'number'] as const;
export type IdType = (typeof ID_TYPES)[number];

/** Collections come sorted by name. */
export class MongoCollectionsQuery {
  @IntField({ description: 'How many collections at most.', min: 1, max: MAX_LIMIT, default: 50, optional: true })
  limit = 50;

  @IntField({ description: 'How many collections to pass over.', min: 0, max: MAX_SKIP, default: 0, optional: true })
  skip = 0;
}

class MongoSelectQuery {
  @StringField({
    description:
      'Fields to answer, comma-separated, or those to leave out, each with `-` before it. `_id` always comes.',
    example: 'title,price',
    max: 500,
    optional: true,
  })
  select?: string;
}

export class MongoListQuery extends MongoSelectQuery {
  @IntField({ description: 'How many documents at most.', min: 1, max: MAX_LIMIT, default: 50, optional: true })
  limit = 50;

  @IntField({ description: 'How many documents to pass over.', min: 0, max: MAX_SKIP, default: 0, optional: true })
  skip = 0;

  @StringField({
    description:
      'Fields to sort by, comma-separated, `-` before one for descending. By default the newest `_id` first.',
    example: '-price,title',
    max: 200,
    optional: true,
  })
  sort?: string;
}

const idType = {
  description:
    'What the `_id` in the path is. Without it, 24 hex digits are an ObjectId, then a string; anything else is a string, then a number.',
  optional: true,
};

export class MongoIdQuery {
  @EnumField(ID_TYPES, idType)
  id_type?: IdType;
}

export class MongoGetQuery extends MongoSelectQuery {
  @EnumField(ID_TYPES, idType)
  id_type?: IdType;
}
