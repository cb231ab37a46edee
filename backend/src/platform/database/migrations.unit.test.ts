import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(__dirname, 'migrations');
/** The first migration to which the rule applies. */
const FIRST = '1795411000000';
/** A table may become a view of the same name, to which those backends can still add rows. */
const TABLES_WITH_VIEWS = /\bDROP TABLE ([\w, ]+);/gi;
const REMOVES = /\b(DROP (TABLE|COLUMN)|RENAME|SET NOT NULL|ALTER COLUMN \w+ (SET DATA )?TYPE)\b/i;

const isAdding = (source: string): boolean => {
  const up = /async up\(.*?(?=\n {2}async down\()/s.exec(source)?.[0];
  if (up === undefined) throw new Error('The migration has no `up` before its `down`.');
  const rest = up.replaceAll(TABLES_WITH_VIEWS, (statement, tables: string) =>
    tables.split(', ').every(table => new RegExp(`CREATE VIEW ${table}\\b|viewOfDrops\\('${table}'`).test(up))
      ? ''
      : statement,
  );
  return !REMOVES.test(rest);
};

const migrations = readdirSync(FOLDER).filter(file => file.endsWith('.ts') && file >= FIRST);

it.each(migrations)(
  'the migration %s only adds to the schema, so that backends of the previous version keep working',
  file => {
    expect(isAdding(readFileSync(join(FOLDER, file), 'utf8'))).toBe(true);
  },
);

it('the check of migrations refuses one that drops a column', () => {
  const drop =
    "\n  async up(runner) {\n    await runner.query('ALTER TABLE a DROP COLUMN b');\n  }\n\n  async down() {}";
  expect(isAdding(drop)).toBe(false);
  expect(isAdding(drop.replace('DROP COLUMN b', 'ADD COLUMN b text'))).toBe(true);
});

it('the check of migrations accepts a dropped table only if a view replaces it', () => {
  const drop =
    "\n  async up(runner) {\n    await runner.query('DROP TABLE a, b; CREATE VIEW a AS';\n  }\n\n  async down() {}";
  expect(isAdding(drop)).toBe(false);
  expect(isAdding(drop.replace('CREATE VIEW a', 'CREATE VIEW b AS SELECT; CREATE VIEW a'))).toBe(true);
});
