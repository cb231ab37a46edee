import { FREE_PACK } from '@site/content/pages/pricing';
import Heading from '@theme/Heading';
import styles from './free-pack.module.css';

export function FreePack() {
  const { title, text, contents, wait } = FREE_PACK;
  return (
    <section className="section section--surface">
      <div className="container">
        <Heading as="h2" id="free-pack">
          {title}
        </Heading>
        {text.map(paragraph => (
          <p key={paragraph} className="section__lead">
            {paragraph}
          </p>
        ))}
        <ul className={`tiles ${styles.contents}`}>
          {contents.map(item => (
            <li key={item.title}>
              <h3>{item.title}</h3>
              <p>{item.text}</p>
            </li>
          ))}
        </ul>
        <div className={styles.wait}>
          <h3>{wait.title}</h3>
          <p>{wait.text}</p>
        </div>
      </div>
    </section>
  );
}
