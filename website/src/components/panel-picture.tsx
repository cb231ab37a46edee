import { ThemedComponent } from '@docusaurus/theme-common';

/** The window that scripts/panel-pictures.mjs photographs, in CSS pixels, and how wide its two pictures are. */
const WINDOW = { width: 1280, height: 800 };
const PHONE_PX = 800;
const WIDE_PX = 1920;

/** A picture of the panel as it is, in the reader's theme. */
export function PanelPicture({ name, alt }: { name: string; alt: string }) {
  return (
    <ThemedComponent className="panel-picture">
      {({ theme, className }) => {
        const picture = `/img/panel-${name}-${theme}`;
        return (
          <img
            className={className}
            src={`${picture}.webp`}
            srcSet={`${picture}-${PHONE_PX}.webp ${PHONE_PX}w, ${picture}.webp ${WIDE_PX}w`}
            sizes="(max-width: 1180px) 100vw, 1180px"
            alt={alt}
            loading="lazy"
            decoding="async"
            {...WINDOW}
          />
        );
      }}
    </ThemedComponent>
  );
}
