import { isRasterImage } from './echo-image.js';

describe('an image echo', () => {
  it.each(['png', 'jpeg', 'gif', 'webp'])('is shown if it is a base64 data URL of %s', type => {
    expect(isRasterImage(`data:image/${type};base64,iVBORw0KGgo=`)).toBe(true);
  });

  it.each([
    'data:image/svg+xml;base64,PHN2Zz4=',
    'data:text/html;base64,PHN2Zz4=',
    'https://example.org/x.png',
    'javascript:alert(1)',
    'data:image/png;base64,iVBO" onerror="alert(1)',
    'data:image/png,plain',
  ])('is not shown if it is %s', address => {
    expect(isRasterImage(address)).toBe(false);
  });
});
