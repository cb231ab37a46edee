import { opensElsewhere } from '@site/src/components/site/opens-elsewhere';
import NavbarNavLink from '@theme/NavbarItem/NavbarNavLink';
import { type MouseEvent, useState } from 'react';
import { createPortal } from 'react-dom';
import { ServicesDialog } from './services-dialog';

interface ServicesMenuProps {
  label: string;
  to: string;
  mobile?: boolean;
  /** Closes the menu on phones. */
  onClick?: () => void;
}

/** Link to /services in the navigation bar. A plain click opens a dialog; without JavaScript it stays a link. */
export function ServicesMenu({ label, to, mobile = false, onClick: closePhoneMenu }: ServicesMenuProps) {
  const [open, setOpen] = useState(false);
  const link = (
    <NavbarNavLink
      className={mobile ? 'menu__link' : 'navbar__item navbar__link'}
      activeClassName={mobile ? 'menu__link--active' : 'navbar__link--active'}
      activeBasePath={to}
      aria-haspopup="dialog"
      label={label}
      to={to}
      onClick={(event: MouseEvent) => {
        if (opensElsewhere(event)) return;
        event.preventDefault();
        setOpen(true);
      }}
    />
  );
  return (
    <>
      {mobile ? <li className="menu__list-item">{link}</li> : link}
      {open &&
        createPortal(
          <ServicesDialog label={label} to={to} onClose={() => setOpen(false)} onFollow={() => closePhoneMenu?.()} />,
          document.body,
        )}
    </>
  );
}
