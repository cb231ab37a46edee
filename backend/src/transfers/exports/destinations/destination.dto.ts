import { ApiProperty } from '@nestjs/swagger';
import { BooleanField, EnumField, StringField } from '../../../platform/http/fields.js';

export const DESTINATION_TYPES = ['s3', 'webhook', 'email'] as const;
export type DestinationType = (typeof DESTINATION_TYPES)[number];

/** Where to send the file of an export. Trawl keeps the file in any case. */
export class DestinationDto {
  @EnumField(DESTINATION_TYPES, {
    description:
      '`s3` uploads the file. `webhook` posts a link to the file to your URL. `email` sends you a link to the file.',
  })
  type!: DestinationType;

  @StringField({
    description: 'For `webhook`: the URL to post to. For `s3`: the endpoint, if it is not Amazon’s.',
    example: 'https://hooks.example.com/exports',
    min: 1,
    max: 2_000,
    pattern: /^https?:\/\/\S+$/,
    expected: 'a URL such as https://hooks.example.com/exports',
    optional: true,
  })
  url?: string;

  @StringField({
    description:
      'For `webhook`: a secret of your choice, with which Trawl signs the call as [Standard Webhooks](https://www.standardwebhooks.com) says. Trawl stores it encrypted and never returns it.',
    example: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=',
    format: 'password',
    max: 200,
    pattern: /^whsec_(?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
    expected: 'whsec_ and at least 24 random bytes as Base64',
    optional: true,
  })
  secret?: string;

  @StringField({ description: 'For `s3`: the bucket.', example: 'prices', min: 1, max: 255, optional: true })
  bucket?: string;

  @StringField({ description: 'For `s3`: the region.', example: 'eu-central-1', max: 100, optional: true })
  region?: string;

  @StringField({
    description: 'For `s3`: what the names of the objects begin with, such as a folder.',
    example: 'books/',
    max: 500,
    optional: true,
  })
  prefix?: string;

  @StringField({ description: 'For `s3`: the id of the access key.', example: 'AKIA…', max: 200, optional: true })
  access_key_id?: string;

  @StringField({
    description: 'For `s3`: the secret access key. Trawl stores it encrypted and never returns it.',
    example: 'the secret of the access key',
    format: 'password',
    max: 500,
    optional: true,
  })
  secret_access_key?: string;

  @BooleanField({
    description: 'For `s3`: whether the bucket is in the path instead of the host name, as MinIO needs it.',
    default: false,
    optional: true,
  })
  path_style = false;
}

/** A destination in a response, without its secrets. */
export class ShownDestinationDto {
  @ApiProperty({ enum: DESTINATION_TYPES, description: 'Kind of the destination.' })
  type!: DestinationType;

  @ApiProperty({
    description: 'The bucket with the prefix, the host of the webhook, or your address.',
    example: 'prices/books/',
  })
  target!: string;
}
