// What the drawn views share: a canvas that is as wide as its place, sharp on every screen, and in the colours of the page.

/** Calls `paint(context, width, height)` when it has been put in its place, resized, or given something new to draw. */
export class PaintedElement extends HTMLElement {
  connectedCallback() {
    if (!this.canvas) {
      this.canvas = document.createElement('canvas');
      this.canvas.setAttribute('aria-hidden', 'true');
      this.append(this.canvas);
      this.listen();
    }
    this.resized = new ResizeObserver(() => this.redraw());
    this.resized.observe(this);
    this.scheme = matchMedia('(prefers-color-scheme: dark)');
    this.onScheme = () => this.redraw();
    this.scheme.addEventListener('change', this.onScheme);
  }

  disconnectedCallback() {
    this.resized.disconnect();
    this.scheme.removeEventListener('change', this.onScheme);
  }

  /** Paints before the next frame, once, however often it is asked. */
  redraw() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      if (this.isConnected) this.paintNow();
    });
  }

  paintNow() {
    const width = this.clientWidth;
    const height = this.heightFor(width);
    if (width === 0 || height === 0) return;
    const scale = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.height = `${height}px`;
    const context = this.canvas.getContext('2d');
    context.setTransform(scale, 0, 0, scale, 0, 0);
    this.palette = new Map();
    context.font = '11px system-ui, sans-serif';
    this.paint(context, width, height);
  }

  /** One of the sheet's tokens, as it is written there. */
  colour(name) {
    if (!this.palette.has(name)) this.palette.set(name, getComputedStyle(this).getPropertyValue(`--${name}`).trim());
    return this.palette.get(name);
  }

  /** The same as a pixel of image data, mixed with another to a part of 0 to 1. */
  pixel(name, part = 1, behind = 'paper') {
    const [front, back] = [rgb(this.colour(name)), rgb(this.colour(behind))];
    const [r, g, b] = front.map((value, i) => Math.round(back[i] + (value - back[i]) * part));
    return PIXEL(r, g, b);
  }

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

/** Of a colour that is written #rrggbb. */
const rgb = (text) => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16));

/** Image data are bytes: red, green, blue and opacity. */
const LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;
const PIXEL = (r, g, b) => (LITTLE_ENDIAN ? (255 << 24) | (b << 16) | (g << 8) | r : (r << 24) | (g << 16) | (b << 8) | 255) >>> 0;

/** How strong values are shown that are `most` at most, 0 to 1: by their logarithm, as traffic spans many powers of ten. */
export function strengths(most) {
  const all = Math.log1p(most);
  return (value) => (value <= 0 || most <= 0 ? 0 : 0.16 + 0.84 * (Math.log1p(value) / all));
}
