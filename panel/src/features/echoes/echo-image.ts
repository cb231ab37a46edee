/** Accepts raster images only, because an SVG can contain scripts and links. */
const RASTER_IMAGE = /^data:image\/(png|jpe?g|gif|webp|avif|bmp);base64,[a-z0-9+/=\s]+$/i;

export const isRasterImage = (address: string): boolean => RASTER_IMAGE.test(address);
