import { ServicesMenu } from '@site/src/components/services-menu/services-menu';
import DefaultNavbarItem from '@theme/NavbarItem/DefaultNavbarItem';
import HtmlNavbarItem from '@theme/NavbarItem/HtmlNavbarItem';
import SearchNavbarItem from '@theme/NavbarItem/SearchNavbarItem';

/** The kinds of entries in the navigation bar. Pages need not load the theme's other kinds. */
export default {
  default: DefaultNavbarItem,
  html: HtmlNavbarItem,
  search: SearchNavbarItem,
  'custom-services': ServicesMenu,
};
