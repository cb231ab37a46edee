/**
 * MongoDB's error codes that are about one document: a repeated value, a validation rule, a size, or a value that an index
 * of the collection cannot take. All others, such as a full disk, say nothing about the row.
 */
const ABOUT_THE_ROW = new Set<unknown>([
  2, // BadValue
  14, // TypeMismatch
  28, // PathNotViable
  52, // DollarPrefixedFieldName
  53, // InvalidIdField
  54, // NotSingleValueField
  66, // ImmutableField
  121, // DocumentValidationFailure
  171, // CannotIndexParallelArrays
  10_334, // BSONObjectTooLarge
  11_000, // DuplicateKey
  16_755, // a place that a 2dsphere index cannot read
  16_766, // a list in a hashed index
  16_804, // a place that a 2d index cannot read
  17_261, // a language that a text index cannot read
  17_262, // a language that a text index does not know
  17_280, // KeyTooLong
  17_419, // the updated document would be too large
  17_420, // the inserted document would be too large
  51_132, // a key of `$merge` that is missing, null or a list
]);

/** Tells whether MongoDB refused a document because of its content. */
export const isAboutRow = (error: unknown): boolean => ABOUT_THE_ROW.has((error as { code?: unknown }).code);
