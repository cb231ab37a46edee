import Link from '@docusaurus/Link';
import { Mark } from '@trawl/brand/mark';

/** Inline SVG, so that the mark takes the text colour of the bar, which differs on the home page. */
export default function NavbarLogo() {
  return (
    <Link to="/" className="navbar__brand" aria-label="Trawl, home">
      <Mark />
      <b className="navbar__title">Trawl</b>
    </Link>
  );
}
