import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import matter from 'gray-matter';
import * as z from 'zod';
import { SERVICE_GROUPS, type ServiceGroupId } from './service-groups';

/**
 * Index of the offers: services and industries, each a file in `src/pages/services` or
 * `src/pages/industries`. It reads, validates and sorts the files. Menus, lists and pages use it, so adding a
 * file adds a service.
 */

const text = z.string().trim().min(1);
const titled = z.strictObject({ title: text, text });
const slugs = z.strictObject({ slug: z.string().regex(/^[a-z0-9-]+$/), text });

/** A field of the rows that we deliver. A test checks that the values in the sample have this `type`. */
const field = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]*$/),
  type: z.enum(['text', 'integer', 'decimal', 'boolean', 'date', 'time', 'address']),
  example: z.union([z.string(), z.number(), z.boolean()]),
  /** `always`: we deliver no row without this field. `if shown`: the field is null if the source does not show it. */
  filled: z.enum(['always', 'if shown']),
  /** True if the field can identify a person. */
  personal: z.boolean().default(false),
  note: text.optional(),
});

/** Schema of the front matter of an offer. The text below the front matter explains the offer. */
const offer = z.strictObject({
  title: z.string().min(4).max(60),
  description: z.string().min(80).max(160),
  keywords: z.array(text).min(3),
  /** Name in menus and lists. */
  name: text,
  /** One sentence in lists. */
  summary: text,
  /** Subject that the contact form has if the visitor comes from this offer's buttons. */
  subject: text,
  /** Number by which menus and lists sort the offers. */
  position: z.number().int().min(1),
  headline: text,
  lead: text,
  /** Sentence that says what one row of the data stands for: "One row is …". */
  row: z.string().startsWith('One row is '),
  steps: z.array(titled).min(3).max(6),
  benefits: z.array(titled).min(3).max(4),
  fields: z.array(field).min(10).max(20),
  /** Says where the sample data come from. They are never real data. */
  sample: text,
  included: z.array(text).min(4).max(8),
  not_included: z.array(text).min(2).max(6),
  refresh: text,
  delivery: z.array(text).min(2).max(4),
  gates: z
    .array(z.strictObject({ check: text, limit: text, otherwise: text }))
    .min(4)
    .max(6),
  /** Introduction of the quality gates, if it differs from the default. */
  gates_lead: text.optional(),
  /** Says what we do when the source website changes. */
  change: text,
  compliance: z.array(titled).min(3).max(5),
  price: z.array(text).min(3).max(5),
  questions: z
    .array(z.strictObject({ question: text, answer: text }))
    .min(2)
    .max(4),
});

const groupIds = SERVICE_GROUPS.map(({ id }) => id);

const schemas = {
  services: offer.extend({ group: z.enum(groupIds), industries: z.array(slugs).min(3).max(5) }),
  industries: offer.extend({ services: z.array(slugs).min(3).max(6) }),
};

type OfferKind = keyof typeof schemas;
type ServiceMatter = z.infer<typeof schemas.services>;
type IndustryMatter = z.infer<typeof schemas.industries>;
/** Front matter of a service or industry. */
export type OfferMatter = ServiceMatter | IndustryMatter;
export type OfferField = OfferMatter['fields'][number];

/** An offer in menus and lists. */
interface OfferLink {
  name: string;
  summary: string;
  subject: string;
  /** Route on this site. */
  to: string;
}

export interface OfferIndex {
  services: { id: ServiceGroupId; title: string; text: string; links: OfferLink[] }[];
  industries: OfferLink[];
}

const PAGES = join(__dirname, '../src/pages');

/**
 * Reads all offers of a kind in their order.
 * @throws {Error} with the file and each missing, unknown or invalid field.
 */
export function readOffers<Kind extends OfferKind>(
  kind: Kind,
): { slug: string; file: string; body: string; matter: z.infer<(typeof schemas)[Kind]> }[] {
  const dir = join(PAGES, kind);
  return readdirSync(dir)
    .filter(name => name.endsWith('.mdx'))
    .map(name => {
      const { data, content } = matter(readFileSync(join(dir, name), 'utf8'));
      const parsed = schemas[kind].safeParse(data);
      if (!parsed.success)
        throw new Error(`src/pages/${kind}/${name} cannot be used:\n${z.prettifyError(parsed.error)}`);
      return {
        slug: name.slice(0, -'.mdx'.length),
        file: `src/pages/${kind}/${name}`,
        body: content,
        matter: parsed.data as z.infer<(typeof schemas)[Kind]>,
      };
    })
    .sort((a, b) => a.matter.position - b.matter.position || a.slug.localeCompare(b.slug));
}

/** Returns the services by group, and the industries. */
export function offerIndex(): OfferIndex {
  const link = (kind: OfferKind, slug: string, { name, summary, subject }: OfferMatter): OfferLink => ({
    name,
    summary,
    subject,
    to: `/${kind}/${slug}`,
  });
  const services = readOffers('services');
  return {
    services: SERVICE_GROUPS.map(group => ({
      ...group,
      links: services
        .filter(({ matter }) => matter.group === group.id)
        .map(({ slug, matter }) => link('services', slug, matter)),
    })),
    industries: readOffers('industries').map(({ slug, matter }) => link('industries', slug, matter)),
  };
}
