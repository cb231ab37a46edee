import Link from '@docusaurus/Link';
import { MDXProvider } from '@mdx-js/react';
import { HOME, WAYS_TO_USE } from '@site/content/pages/home';
import InstallCommand from '@site/src/pages/_install-command.mdx';
import CodeBlock from '@theme/CodeBlock';
import { Mesh } from '../../mesh/mesh';
import { useByServices } from '../../site/services';
import { SampleRun } from '../sample-run/sample-run';
import styles from './hero.module.css';

export function Hero() {
  const { self } = WAYS_TO_USE;
  const service = useByServices(WAYS_TO_USE.service);
  return (
    <header className={styles.hero}>
      <div className={styles.net}>
        <Mesh columns={30} rows={12} lit={['20,3', '24,7', '18,9', '27,5', '21,11']} />
      </div>
      <div className={`container ${styles.inside}`}>
        <SampleRun>
          <div className={styles.text}>
            <h1>{HOME.title}</h1>
            <p className={styles.promise}>{HOME.promise}</p>
            <p className={styles.lead}>{HOME.lead}</p>
            <div className={styles.command}>
              <MDXProvider components={{ CodeBlock }}>
                <InstallCommand />
              </MDXProvider>
            </div>
            <div className={styles.actions}>
              <Link className="action" to={self.action.to}>
                {self.action.label}
              </Link>
              <Link className="action action--quiet" to={service.action.to}>
                {service.action.label}
              </Link>
            </div>
          </div>
        </SampleRun>
      </div>
    </header>
  );
}
