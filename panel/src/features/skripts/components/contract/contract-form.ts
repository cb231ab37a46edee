import type { Skript } from '../../../../api/entities.js';

export type Contract = NonNullable<Skript['rows']>;

/** The values of the form. Numbers are '' while their field is empty. */
export interface ContractForm {
  min: number | '';
  max: number | '';
  /** Names of fields, separated by commas. */
  key: string;
  fill: { path: string; percent: number | '' }[];
  /** JSON text. */
  schema: string;
  fresh_hours: number | '';
  on_broken: NonNullable<Contract['on_broken']>;
}

export const CONTRACT_LABELS = {
  'rows.min': 'Least number of rows',
  'rows.max': 'Largest number of rows',
  'rows.key': 'Key',
  'rows.schema': 'JSON Schema of each row',
  'rows.fresh_hours': 'Hours between good runs',
  'rows.on_broken': 'When rows are broken',
} as const;

export function formOf(contract: Contract | null | undefined): ContractForm {
  const { min = '', max = '', key = [], fill = {}, schema, fresh_hours = '', on_broken = 'notify' } = contract ?? {};
  return {
    min,
    max,
    key: [key].flat().join(', '),
    fill: Object.entries(fill).map(([path, share]) => ({ path, percent: Number((share * 100).toPrecision(6)) })),
    schema: schema === undefined ? '' : JSON.stringify(schema, null, 2),
    fresh_hours,
    on_broken,
  };
}

/** Returns the contract of the form; null if all its fields are empty. */
export function contractOf({ min, max, key, fill, schema, fresh_hours, on_broken }: ContractForm): Contract | null {
  const names = key
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '');
  const filled = fill.flatMap(({ path, percent }) =>
    path.trim() === '' || percent === '' ? [] : [[path.trim(), Number((percent / 100).toPrecision(6))]],
  );
  const contract: Contract = {
    ...(min !== '' && { min }),
    ...(max !== '' && { max }),
    ...(names.length > 0 && { key: names.length === 1 ? (names[0] as string) : names }),
    ...(filled.length > 0 && { fill: Object.fromEntries(filled) }),
    ...(schema.trim() !== '' && { schema: JSON.parse(schema) }),
    ...(fresh_hours !== '' && { fresh_hours }),
    ...(on_broken !== 'notify' && { on_broken }),
  };
  return Object.keys(contract).length === 0 ? null : contract;
}

export const contractRules = {
  schema: (text: string) => {
    if (text.trim() === '') return null;
    try {
      JSON.parse(text);
      return null;
    } catch {
      return 'Enter valid JSON';
    }
  },
};
