/** Route of the contact page with the form's subject already filled in. */
export const contactAbout = (subject: string): string => `/contact?subject=${encodeURIComponent(subject)}`;

export const DEMO_REQUEST = contactAbout('Demo Request');
export const PRICING_INQUIRY = contactAbout('Pricing Inquiry');
