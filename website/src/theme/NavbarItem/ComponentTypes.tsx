import { ServicesMenu } from '@site/src/components/services-menu/services-menu';
import ComponentTypes from '@theme-original/NavbarItem/ComponentTypes';

export default { ...ComponentTypes, 'custom-services': ServicesMenu };
