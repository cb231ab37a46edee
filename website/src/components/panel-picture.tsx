import { ThemedComponent } from '@docusaurus/theme-common';

/** The windows that scripts/panel-pictures.mjs photographs, in CSS pixels. */
const WINDOW = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 620 };

/** A picture of the panel as it is, in the reader's theme; on a phone as a phone shows it, so that it can be read. */
export function PanelPicture({ name, alt }: { name: string; alt: string }) {
  return (
    <ThemedComponent className="panel-picture">
      {({ theme, className }) => {
        const picture = `/img/panel-${name}-${theme}`;
        return (
          <picture>
            <source media="(max-width: 600px)" srcSet={`${picture}-phone.webp`} {...PHONE} />
            <img className={className} src={`${picture}.webp`} alt={alt} loading="lazy" decoding="async" {...WINDOW} />
          </picture>
        );
      }}
    </ThemedComponent>
  );
}
