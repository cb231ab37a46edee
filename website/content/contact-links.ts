/** Returns the route of the contact page with the subject filled in. */
export const contactAbout = (subject: string): string => `/contact?subject=${encodeURIComponent(subject)}`;

export const DEMO_REQUEST = contactAbout('Demo Request');
export const PRICING_INQUIRY = contactAbout('Pricing Inquiry');
