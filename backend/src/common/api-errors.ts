import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { API_ERRORS, type ApiErrorBody, type ApiErrorCode } from '@trawl/contracts';
import { ANY_JSON } from './fields.js';

/** Body of every error. */
export class ErrorBodyDto implements ApiErrorBody {
  @ApiProperty({ description: 'What happened, for a person to read.', example: 'There is no skript with this id.' })
  error_message!: string;

  @ApiProperty({ enum: Object.keys(API_ERRORS), description: 'What happened, for a program.', example: 'not_found' })
  error_code!: ApiErrorCode;

  @ApiPropertyOptional({
    description: 'More, by code: the fields of `validation_failed`, the places of `bundle_failed`.',
    ...ANY_JSON,
  })
  details?: unknown;

  @ApiProperty({ description: 'Names this request in the log.' })
  request_id!: string;
}

/** Documents the errors that a route, or every route of a controller, may answer. */
export function ApiErrors(...codes: ApiErrorCode[]) {
  const statuses = [...new Set(codes.map(code => API_ERRORS[code]))];
  const responses = statuses.map(status =>
    ApiResponse({
      status,
      description: codes.flatMap(code => (API_ERRORS[code] === status ? [`\`${code}\``] : [])).join(', '),
      schema: { $ref: getSchemaPath(ErrorBodyDto) },
    }),
  );
  return applyDecorators(ApiExtraModels(ErrorBodyDto), ...responses);
}
