import Link from '@docusaurus/Link';
import { LANGUAGE } from '@site/content/pages/platform';
import BehindJavascript from '@site/src/pages/_behind-javascript.mdx';
import Heading from '@theme/Heading';
import MDXContent from '@theme/MDXContent';
import styles from './script-language.module.css';

export function ScriptLanguage() {
  const { title, text, python, link } = LANGUAGE;
  return (
    <section className="section">
      <div className={`container ${styles.two}`}>
        <div>
          <Heading as="h2" id="language">
            {title}
          </Heading>
          {text.map(paragraph => (
            <p key={paragraph}>{paragraph}</p>
          ))}
          <p className={styles.python}>{python}</p>
          <p>
            <Link to={link.to}>{link.label}</Link>
          </p>
        </div>
        <div className={styles.code}>
          <MDXContent>
            <BehindJavascript />
          </MDXContent>
        </div>
      </div>
    </section>
  );
}
