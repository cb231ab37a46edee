/** Note below the delivery options of every service and industry. */
export const DELIVERY_TODAY =
  'Rows are kept on a Trawl of your own, where we install the skript or you do, or are sent to an HTTPS address of yours. No account of this installation receives rows yet.';

/** Texts of /services. The services have their own files. */
export const SERVICES_PAGE = {
  title: 'Web scraping, data monitoring and DaaS services',
  description:
    'Eighteen services in six groups: scraping, monitoring, AI data, coding, data as a service and more, each with a field contract and a sample to download.',
  keywords: ['web scraping services', 'data monitoring', 'data as a service', 'scraper development', 'data extraction'],
  headline: 'Work we do for you',
  lead: 'You say what you need to know. We, who run this installation of Trawl, write the skripts, run them, check the rows and hand both over. Every service below says field by field what a row holds, shows a skript that makes one, and names what it leaves out.',
  industriesTitle: 'By industry',
  industriesLead: 'The same work, told from the side of those who use the rows.',
};
