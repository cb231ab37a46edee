import { ThemedComponent } from '@docusaurus/theme-common';

/** Window sizes of the screenshots by scripts/panel-pictures.mjs, in CSS pixels. */
const WINDOW = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 620 };
/** Size of a crop by scripts/make-pictures.mjs, in pixels. */
const CROP = { width: 480, height: 280 };

/** Screenshot of the panel in the reader's theme, with a phone's layout on phones. */
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

/** Part of a screenshot of the panel, in the reader's theme. */
export function PanelCrop({ name, alt }: { name: string; alt: string }) {
  return (
    <ThemedComponent>
      {({ theme, className }) => (
        <img
          className={className}
          src={`/img/crop-${name}-${theme}.webp`}
          alt={alt}
          loading="lazy"
          decoding="async"
          {...CROP}
        />
      )}
    </ThemedComponent>
  );
}
