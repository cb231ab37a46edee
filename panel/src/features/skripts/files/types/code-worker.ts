/// <reference lib="webworker" />
import { CodeService, type PackName, type TypePack } from '@trawl/type-check';
import { answerQuestion } from './answer-question.js';
import type { Question } from './protocol.js';

const PACKS: Record<PackName, () => Promise<{ default: TypePack }>> = {
  language: () => import('virtual:library-types/language'),
  node: () => import('virtual:library-types/node'),
  trawl: () => import('virtual:library-types/trawl'),
  older: () => import('virtual:library-types/older'),
  puppeteer: () => import('virtual:library-types/puppeteer'),
  cheerio: () => import('virtual:library-types/cheerio'),
  axios: () => import('virtual:library-types/axios'),
  got: () => import('virtual:library-types/got'),
  csv: () => import('virtual:library-types/csv'),
};

const service = new CodeService(async name => (await PACKS[name]()).default);

self.addEventListener('message', ({ data }: MessageEvent<Question>) => {
  void answerQuestion(service, data).then(reply => self.postMessage(reply));
});
