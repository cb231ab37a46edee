const SCROLLED_PAST_PX = 50;

// Docusaurus also loads this module during server-side rendering, without a window.
if (typeof window !== 'undefined') {
  const mark = () => document.documentElement.toggleAttribute('data-scrolled', window.scrollY > SCROLLED_PAST_PX);
  window.addEventListener('scroll', mark, { passive: true });
  mark();
}
