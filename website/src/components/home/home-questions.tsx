import Link from '@docusaurus/Link';
import { QUESTIONS } from '@site/content/pages/home';
import { Questions } from '../questions/questions';
import styles from './home-questions.module.css';

export function HomeQuestions() {
  return (
    <section className="section section--surface">
      <div className={`container ${styles.two}`}>
        <div>
          <h2>Questions</h2>
          <p className={styles.more}>
            <Link to="/faq">More questions and answers</Link>
          </p>
        </div>
        <Questions questions={QUESTIONS} />
      </div>
    </section>
  );
}
