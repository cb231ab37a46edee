import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import matter from 'gray-matter';
import * as z from 'zod';
import { SERVICE_GROUPS, type ServiceGroupId } from './service-groups';

/**
 * Pages that offer something: a service or an industry, one file each under `src/pages/services` and
 * `src/pages/industries`. This module is their index: it reads the files, checks them and puts them in order. Menus, lists
 * and the pages themselves follow, so that adding a service is adding one file.
 */

const text = z.string().trim().min(1);
const titled = z.strictObject({ title: text, text });
const slugs = z.strictObject({ slug: z.string().regex(/^[a-z0-9-]+$/), text });

/** One field of the rows that are delivered. `type` decides how the sample's values are checked. */
const field = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]*$/),
  type: z.enum(['text', 'integer', 'decimal', 'boolean', 'date', 'time', 'address']),
  example: z.union([z.string(), z.number(), z.boolean()]),
  /** `always`: a row without it is not delivered. `if shown`: null when the source does not show it. */
  filled: z.enum(['always', 'if shown']),
  /** Whether it can name or single out a person. */
  personal: z.boolean().default(false),
  note: text.optional(),
});

/** Front matter of an offer. The file's body is its explanation, in Markdown. */
const offer = z.strictObject({
  title: z.string().min(4).max(60),
  description: z.string().min(80).max(160),
  keywords: z.array(text).min(3),
  /** In menus and lists. */
  name: text,
  /** One sentence in lists. */
  summary: text,
  /** The subject that its calls to action preset on /contact. */
  subject: text,
  /** Among its neighbours in menus and lists. */
  position: z.number().int().min(1),
  headline: text,
  lead: text,
  /** What one row is: "One row is …". */
  row: z.string().startsWith('One row is '),
  steps: z.array(titled).min(3).max(6),
  benefits: z.array(titled).min(3).max(4),
  fields: z.array(field).min(10).max(20),
  /** What the sample was made from, which is never real data. */
  sample: text,
  included: z.array(text).min(4).max(8),
  not_included: z.array(text).min(2).max(6),
  refresh: text,
  delivery: z.array(text).min(2).max(4),
  gates: z
    .array(z.strictObject({ check: text, limit: text, otherwise: text }))
    .min(4)
    .max(6),
  /** Above the gates, where they are not those of a delivery. */
  gates_lead: text.optional(),
  /** What happens when the source changes. */
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
/** The front matter of either kind. */
export type OfferMatter = ServiceMatter | IndustryMatter;
export type OfferField = OfferMatter['fields'][number];

/** What menus and lists show of an offer. */
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
 * Every offer of a kind in its order, as its file has it.
 * @throws {Error} naming the file and each field that is missing, unknown or wrong.
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

/** The services in their groups, and the industries. */
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
