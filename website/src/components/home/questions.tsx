import Link from '@docusaurus/Link';
import { QUESTIONS } from '@site/content/home';
import styles from './questions.module.css';

export function Questions() {
  return (
    <section className="section section--surface">
      <div className={`container ${styles.two}`}>
        <div>
          <h2>Questions</h2>
          <p className={styles.more}>
            <Link to="/faq">More questions and answers</Link>
          </p>
        </div>
        <div className={styles.list}>
          {QUESTIONS.map(({ question, answer }) => (
            <details key={question}>
              <summary>{question}</summary>
              <p>{answer}</p>
            </details>
          ))}
        </div>
      </div>
    </section>
  );
}
