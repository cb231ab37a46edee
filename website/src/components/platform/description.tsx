import { DESCRIPTION } from '@site/content/pages/platform';
import { PanelPicture } from '../docs/panel-picture';
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
          <PanelPicture name={picture.name} alt={picture.alt} />
          <figcaption>{picture.caption}</figcaption>
        </figure>
      </div>
    </section>
  );
}
