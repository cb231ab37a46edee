import Link from '@docusaurus/Link';
import { QUESTIONS } from '@site/content/home';
import styles from './questions.module.css';

export function Questions() {
  return (
    <section className="section">
      <div className="container">
        <h2>Questions</h2>
        <div className={styles.list}>
          {QUESTIONS.map(({ question, answer }) => (
            <details key={question}>
              <summary>{question}</summary>
              <p>{answer}</p>
            </details>
          ))}
        </div>
        <p className={styles.more}>
          <Link to="/faq">More questions and answers</Link>
        </p>
      </div>
    </section>
  );
}
