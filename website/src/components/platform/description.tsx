import { DESCRIPTION } from '@site/content/platform';
import ThemedImage from '@theme/ThemedImage';
import styles from './description.module.css';

export function Description() {
  const { title, text, picture } = DESCRIPTION;
  return (
    <section className="section">
      <div className={`container ${styles.two}`}>
        <div>
          <h2>{title}</h2>
          {text.map(paragraph => (
            <p key={paragraph}>{paragraph}</p>
          ))}
        </div>
        <figure className={styles.picture}>
          <ThemedImage
            alt={picture.alt}
            sources={{ light: '/img/panel-run-light.webp', dark: '/img/panel-run-dark.webp' }}
            width={1280}
            height={800}
            loading="lazy"
          />
          <figcaption>{picture.caption}</figcaption>
        </figure>
      </div>
    </section>
  );
}
