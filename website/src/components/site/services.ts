import useDocusaurusContext from '@docusaurus/useDocusaurusContext';

/** A text of an installation that sells services, and the text of one that does not. */
export interface ByServices<Text> {
  on: Text;
  off: Text;
}

/** Returns false if `SITE_SERVICES` is off: no page may then offer work of a team. */
export const useServices = (): boolean =>
  (useDocusaurusContext().siteConfig.customFields as { services: boolean }).services;

export const useByServices = <Text>({ on, off }: ByServices<Text>): Text => (useServices() ? on : off);
