const SCROLLED_PAST_PX = 50;

// The module is also loaded while pages are rendered to files, where there is no window.
if (typeof window !== 'undefined') {
  const mark = () => document.documentElement.toggleAttribute('data-scrolled', window.scrollY > SCROLLED_PAST_PX);
  window.addEventListener('scroll', mark, { passive: true });
  mark();
}
