import type { SkriptTemplateName } from '@trawl/contracts';
import type { SkriptBody } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';
import { pack } from '../dropped/pack.js';
import { withPracticeShop } from './practice-shop.js';
import { uploadArchive } from './upload-skript.js';

interface NewSkript {
  body: SkriptBody;
  template: SkriptTemplateName;
}

/** Uploads the skript with its files and input, which succeeds or fails as a whole. */
async function createSkript({ body, template }: NewSkript) {
  const { default: templates } = await import('virtual:skript-templates');
  const texts = { ...templates[template], 'manifest.json': JSON.stringify(body) };
  const files = Object.entries(texts).map(([name, text]) => ({
    name,
    bytes: new TextEncoder().encode(name === 'input.json' ? withPracticeShop(text, window.location) : text),
  }));
  const { skript } = await uploadArchive(await pack({ title: body.title, files, skipped: [] }), false);
  return skript;
}

export const useCreateSkript = () =>
  useChange({
    send: createSkript,
    reload: [QUERY_KEYS.skripts],
  });
