import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, IsString, Matches, MaxLength, ValidateIf } from 'class-validator';
import { Holding } from '../../../platform/http/fields.js';

interface FormField {
  /** The field's label, which begins its error messages. */
  label: string;
  description: string;
  example?: string;
  /** Characters. */
  max: number;
  optional?: boolean;
}

/**
 * Decorator for a text field of a form. It does not report missing fields, even required ones: `form-rules.ts` does so,
 * in the order of the form.
 */
export const FormText = ({ label, description, example, max, optional }: FormField) =>
  applyDecorators(
    optional
      ? ApiPropertyOptional({ description, example, type: String, maxLength: max, nullable: true })
      : ApiProperty({ description, example, type: String, maxLength: max }),
    ValidateIf((_, value) => value !== undefined && value !== null),
    IsString({ message: `${label} must be text` }),
    MaxLength(max, { message: `${label} is too long: the limit is ${max} characters` }),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the character that is refused
    Matches(/^[^\u0000]*$/, { message: `${label} must not contain a NUL character` }),
  );

/**
 * Decorator for a number of the sum that the visitor must solve. It may be sent as a number or as text; `form-rules.ts`
 * checks it.
 */
export const FormNumber = (options: { description: string; example: number }) =>
  applyDecorators(
    ApiProperty({
      ...options,
      oneOf: [{ type: 'integer' }, { type: 'string', pattern: '^\\s*\\d+\\s*$' }],
    }),
    Allow(),
    Holding('any JSON'),
  );
