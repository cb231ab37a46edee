import { StringField } from '../../platform/http/fields.js';
import { ListQuery } from '../../platform/http/lists/list-query.js';
import { SkriptIdField } from '../../platform/http/names/named-ids.js';
import { FILE_NAME_CHARS } from './names.js';

/** Query parameters of the lists of files, inputs and input secrets. */
export class SkriptPartsQuery extends ListQuery {
  @SkriptIdField({ description: 'Return only those of this skript.', optional: true })
  skript_id?: string;

  @StringField({
    description: 'Return only items whose name contains this text, ignoring case.',
    max: FILE_NAME_CHARS,
    optional: true,
  })
  name_contains?: string;
}
