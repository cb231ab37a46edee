import styles from './contact-band.module.css';
import { ContactLinks } from './contact-links';

/** The end of an offer's page: what happens after writing, and the way there. */
export function ContactBand({ subject }: { subject: string }) {
  return (
    <section className={`section ${styles.band}`}>
      <div className={`container ${styles.inside}`}>
        <div>
          <h2>Tell us the source and the fields</h2>
          <p>
            A person reads your message. We look at the source, say what of it can be had and what cannot, and send a
            quote for the job before any work starts.
          </p>
        </div>
        <ContactLinks subject={subject} />
      </div>
    </section>
  );
}
