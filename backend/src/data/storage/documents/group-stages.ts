import type { GroupDto } from './groups.dto.js';

type Fields = Record<string, unknown>;

/** Returns an expression for the field of this name. `$getField` takes any name as it is, also one that begins with `$`. */
const fieldIn = (input: unknown, name: string): Fields => ({ $getField: { field: { $literal: name }, input } });

/** Returns an expression for a dotted path. A field whose own name has dots comes first. */
function valueAt(path: string): Fields {
  const inside = path.split('.').reduce<unknown>(fieldIn, '$$ROOT') as Fields;
  return path.includes('.') ? { $ifNull: [fieldIn('$$ROOT', path), inside] } : inside;
}

const converted = (input: unknown, to: 'double' | 'date'): Fields => ({
  $convert: { input, to, onError: null, onNull: null },
});

/** Returns an expression for finite numbers, and for texts that are such numbers; null for other values. */
const numberAt = (path: string): Fields => ({
  $let: {
    vars: { value: valueAt(path) },
    in: {
      $let: {
        vars: {
          number: {
            $cond: [
              { $or: [{ $isNumber: '$$value' }, { $eq: [{ $type: '$$value' }, 'string'] }] },
              converted('$$value', 'double'),
              null,
            ],
          },
        },
        // MongoDB sorts null and NaN before all numbers.
        in: {
          $cond: [
            { $and: [{ $gte: ['$$number', -Number.MAX_VALUE] }, { $lte: ['$$number', Number.MAX_VALUE] }] },
            '$$number',
            null,
          ],
        },
      },
    },
  },
});

const keyOf = ({ by, every, time_zone: timezone }: GroupDto): Fields =>
  every === undefined ? valueAt(by) : { $dateTrunc: { date: converted(valueAt(by), 'date'), unit: every, timezone } };

/**
 * Returns the stages of an aggregation that groups documents.
 * @param limit number of groups to return at most.
 */
export function groupStages(group: GroupDto, filter: Fields, limit: number): Fields[] {
  const number = group.of === undefined ? null : numberAt(group.of);
  return [
    { $match: filter },
    {
      $group: {
        _id: keyOf(group),
        count: { $sum: 1 },
        ...(number && {
          sum: { $sum: number },
          average: { $avg: number },
          min: { $min: number },
          max: { $max: number },
        }),
      },
    },
    { $sort: group.every === undefined ? { count: -1, _id: 1 } : { _id: -1 } },
    { $limit: limit },
    {
      $project: {
        _id: 0,
        // MongoDB keeps the order of computed fields only.
        group: '$_id',
        count: '$count',
        ...(number && {
          // Without any number, MongoDB's sum is 0.
          sum: { $cond: [{ $eq: ['$average', null] }, null, '$sum'] },
          average: '$average',
          min: '$min',
          max: '$max',
        }),
      },
    },
  ];
}
