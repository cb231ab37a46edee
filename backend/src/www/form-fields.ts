import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, IsString, Matches, MaxLength, ValidateIf } from 'class-validator';
import { Holding } from '../common/fields.js';

interface FormField {
  /** What the visitor knows the field as, at the beginning of a sentence. */
  label: string;
  description: string;
  example?: string;
  /** Characters. */
  max: number;
  optional?: boolean;
}

/**
 * A text of a form. One that is missing passes here, required or not: the form's own rules, in their own order, tell of it
 * (`form-rules.ts`).
 */
export const FormText = ({ label, description, example, max, optional }: FormField) =>
  applyDecorators(
    optional
      ? ApiPropertyOptional({ description, example, type: String, maxLength: max, nullable: true })
      : ApiProperty({ description, example, type: String, maxLength: max }),
    ValidateIf((_, value) => value !== undefined && value !== null),
    IsString({ message: `${label} must be a text` }),
    MaxLength(max, { message: `${label} is too long: it may have ${max} characters at most` }),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the character that is refused
    Matches(/^[^\u0000]*$/, { message: `${label} must not contain a NUL character` }),
  );

/** A number of the challenge, also as text; what it has to be is one of the form's rules. */
export const FormNumber = (options: { description: string; example: number }) =>
  applyDecorators(
    ApiProperty({
      ...options,
      oneOf: [{ type: 'integer' }, { type: 'string', pattern: '^\\s*\\d+\\s*$' }],
    }),
    Allow(),
    Holding('any JSON'),
  );
