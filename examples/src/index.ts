export { catalogue } from './practice-site/catalogue/catalogue.js';
export type {
  Catalogue,
  Category,
  Currency,
  MemberOffer,
  Price,
  Product,
  Review,
  StockState,
} from './practice-site/catalogue/product.js';
export { PRACTICE_ACCOUNT } from './practice-site/pages/members.page.js';
export { type PracticeSite, startPracticeSite } from './practice-site/practice-site.js';
export { arrivals } from './practice-site/routes/machine.routes.js';
