// The message timeline as a picture: a lane for each rank, with what it sent and got in each second, where it waited, and marks.

import { PaintedElement, strengths } from '/console/canvas.js';

const LEFT = 44;
const TOP = 24;
const LANE_MAX = 30;
const LANE_MIN = 2;

/** From this height on a lane shows values as bars. */
const LANE_OF_BARS = 12;

const LANES_HEIGHT_MAX = 720;
const SHADES = 32;

/** A whole page of bars in full colour would hide the marks. */
const CALM = 22;
const SPAN_MS_MIN = 4_000;
const ZOOM = 1.25;
const TICK_PX_MIN = 84;
const TICKS_MS = [500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000];

class RankTimeline extends PaintedElement {
  /** @param value `timeline`: an answer of the API; `span`: from and to in ms, or null for all; `chosen`: `rank` and `at`, or null */
  set picture({ timeline, span, chosen }) {
    const last = this.data;
    if (last && last.timeline === timeline && last.span === span && last.chosen === chosen) return;
    this.data = { ...timeline, timeline, span, chosen, whole: last?.timeline === timeline ? last.whole : wholeOf(timeline) };
    this.redraw();
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener('pointermove', (event) => (event.buttons & 1 ? this.drag(event) : this.point(event)));
    canvas.addEventListener('pointerdown', (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    this.addEventListener('keydown', (event) => this.key(event));
  }

  get lane() {
    const n = Math.max(1, this.data.ranks.length);
    return Math.max(LANE_MIN, Math.min(LANE_MAX, Math.floor(LANES_HEIGHT_MAX / n)));
  }

  heightFor() {
    return this.data ? TOP + this.lane * this.data.ranks.length + 1 : 0;
  }

  get whole() {
    return this.data.whole;
  }

  get span() {
    return this.data.span ?? this.whole;
  }

  get msPerPx() {
    const [from, to] = this.span;
    return (to - from) / Math.max(1, this.clientWidth - LEFT);
  }

  timeAt(x) {
    return this.span[0] + (x - LEFT) * this.msPerPx;
  }

  xAt(time) {
    return LEFT + (time - this.span[0]) / this.msPerPx;
  }

  wheel(event) {
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(event.deltaX * this.msPerPx);
    else this.zoom(event.deltaY < 0 ? 1 / ZOOM : ZOOM, this.timeAt(event.offsetX));
  }

  drag(event) {
    this.pan(-event.movementX * this.msPerPx);
  }

  point(event) {
    const row = Math.floor((event.offsetY - TOP) / this.lane);
    if (row >= 0 && row < this.data.ranks.length && event.offsetX >= LEFT) {
      this.tell('choose', { rank: this.data.ranks[row].rank, at: this.timeAt(event.offsetX) });
    }
  }

  key(event) {
    const [from, to] = this.span;
    const ranks = this.data.ranks.map((rank) => rank.rank);
    const chosen = this.data.chosen ?? { rank: ranks[0], at: (from + to) / 2 };
    const step = (by) => ranks[Math.max(0, Math.min(ranks.length - 1, ranks.indexOf(chosen.rank) + by))];
    const actions = {
      '+': () => this.zoom(1 / ZOOM, chosen.at), '=': () => this.zoom(1 / ZOOM, chosen.at), '-': () => this.zoom(ZOOM, chosen.at),
      0: () => this.tell('span', null),
      ArrowLeft: () => this.moveTo(chosen, -1), ArrowRight: () => this.moveTo(chosen, 1),
      ArrowUp: () => this.tell('choose', { ...chosen, rank: step(-1) }), ArrowDown: () => this.tell('choose', { ...chosen, rank: step(1) }),
    };
    if (!(event.key in actions) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    actions[event.key]();
  }

  /** One second on, and the picture with it when it would leave. */
  moveTo(chosen, by) {
    const at = Math.min(this.whole[1] - 1, Math.max(this.whole[0], chosen.at + by * this.data.stepMs));
    const [from, to] = this.span;
    if (at < from || at > to) this.pan(by * (to - from) * 0.25);
    this.tell('choose', { ...chosen, at });
  }

  zoom(by, around) {
    const [from, to] = this.span;
    const [first, last] = this.whole;
    const length = Math.min(last - first, Math.max(SPAN_MS_MIN, (to - from) * by));
    this.show(around - ((around - from) / (to - from)) * length, length);
  }

  pan(ms) {
    const [from, to] = this.span;
    this.show(from + ms, to - from);
  }

  show(from, length) {
    const [first, last] = this.whole;
    const start = Math.max(first, Math.min(last - length, from));
    this.tell('span', length >= last - first ? null : [start, start + length]);
  }

  paint(context, width) {
    const { ranks } = this.data;
    this.paintLanes(context, width);
    context.save();
    context.beginPath();
    context.rect(LEFT, TOP, width - LEFT, this.lane * ranks.length);
    context.clip();
    ranks.forEach((rank, row) => this.paintWaits(context, rank, TOP + row * this.lane));
    context.restore();
    this.paintAxis(context, width);
    this.paintMarks(context, width);
    this.paintNames(context);
    this.paintChosen(context);
  }

  /** The image is kept: while the pointer moves over it, only what is chosen changes. */
  paintLanes(context, width) {
    const scale = devicePixelRatio || 1;
    const [columns, rows] = [(width - LEFT) * scale, this.lane * this.data.ranks.length * scale].map((size) => Math.max(1, Math.round(size)));
    const shown = [...this.span, columns, rows, this.colour('paper')].join();
    if (this.image?.width !== columns || this.image.height !== rows) this.image = context.createImageData(columns, rows);
    if (this.imageOf !== this.data.timeline || this.imageShows !== shown) {
      this.drawLanes(new Uint32Array(this.image.data.buffer), this.binsOfColumns(columns, scale), scale);
      this.imageOf = this.data.timeline;
      this.imageShows = shown;
    }
    context.putImageData(this.image, Math.round(LEFT * scale), Math.round(TOP * scale));
  }

  /**
   * Up what each rank sent, down what it got; in a narrow lane by strength instead of height. By pixels: of 512 ranks and 300
   * seconds there are 300,000 values, for which rectangles would take seconds.
   */
  drawLanes(pixels, columns, scale) {
    const { ranks } = this.data;
    pixels.fill(this.pixel('paper'));
    const flows = [{ name: 'sent', colour: 'accent', up: true }, { name: 'delivered', colour: 'focus', up: false }]
      .map((flow) => ({ ...flow, top: most(ranks, flow.name), shades: Array.from({ length: SHADES + 1 }, (_, i) => this.pixel(flow.colour, i / SHADES)) }));
    ranks.forEach((rank, row) => {
      const [from, to] = [Math.round(row * this.lane * scale), Math.round((row + 1) * this.lane * scale)];
      for (const flow of flows) {
        if (this.lane >= LANE_OF_BARS) bars(pixels, columns, rank[flow.name], flow, from + 2, to - 2);
        else strip(pixels, columns, rank[flow.name], flow, from, to);
      }
    });
  }

  /** For each column of pixels the second that it shows. */
  binsOfColumns(columns, scale) {
    const { from, stepMs } = this.data;
    return Int32Array.from({ length: columns }, (_, x) => Math.floor((this.span[0] + (x / scale) * this.msPerPx - from) / stepMs));
  }

  paintWaits(context, rank, top) {
    context.fillStyle = this.colour('busy');
    const thick = Math.max(1, Math.min(4, this.lane / 5));
    for (const wait of rank.waits) {
      const end = wait.to || this.whole[1];
      context.fillRect(this.xAt(wait.from), top + this.lane / 2 - thick / 2, Math.max(2, this.xAt(end) - this.xAt(wait.from)), thick);
    }
  }

  paintAxis(context, width) {
    const [from, to] = this.span;
    const every = TICKS_MS.find((ms) => ms / this.msPerPx >= TICK_PX_MIN) ?? 60_000;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    for (let at = Math.ceil(from / every) * every; at <= to; at += every) {
      const x = Math.round(this.xAt(at)) + 0.5;
      context.fillStyle = this.colour('soft');
      if (x > LEFT + 24 && x < width - 30) context.fillText(new Date(at).toLocaleTimeString([], { hour12: false }), x, 10);
      context.fillStyle = this.colour('line-strong');
      context.fillRect(x, TOP - 4, 1, 4);
    }
  }

  paintMarks(context, width) {
    const { ranks, marks } = this.data;
    const rows = new Map(ranks.map((rank, row) => [rank.rank, row]));
    for (const mark of marks) {
      const x = this.xAt(mark.at);
      if (x < LEFT || x > width) continue;
      const row = rows.get(mark.rank);
      const y = row == null ? TOP : TOP + row * this.lane;
      const height = row == null ? this.lane * ranks.length : this.lane;
      context.fillStyle = this.colour(markColour(mark.kind));
      context.fillRect(x - 0.75, y, 1.5, height);
      shape(context, mark.kind, x, y + Math.min(6, height / 2), Math.min(5, Math.max(3, height / 3)), this.colour('paper'));
    }
  }

  paintNames(context) {
    const every = Math.max(1, Math.ceil(13 / this.lane));
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    context.fillStyle = this.colour('soft');
    this.data.ranks.forEach((rank, row) => {
      if (row % every === 0) context.fillText(rank.rank, LEFT - 8, TOP + (row + 0.5) * this.lane);
    });
  }

  paintChosen(context) {
    const { chosen, ranks } = this.data;
    const row = chosen ? ranks.findIndex((rank) => rank.rank === chosen.rank) : -1;
    if (row < 0) return;
    context.strokeStyle = this.colour('ink');
    context.strokeRect(LEFT - 0.5, TOP + row * this.lane + 0.5, this.clientWidth - LEFT, this.lane);
    const x = this.xAt(chosen.at);
    if (x >= LEFT) context.strokeRect(x, TOP + row * this.lane - 3, 1, this.lane + 6);
  }
}

/** The whole time of which there is data. */
function wholeOf({ from, stepMs, ranks }) {
  return [from, from + stepMs * Math.max(1, ...ranks.map((rank) => rank.sent.length))];
}

function most(ranks, flow) {
  let high = 0;
  for (const rank of ranks) for (const value of rank[flow]) if (value > high) high = value;
  return high;
}

function bars(pixels, columns, values, { top, up, shades }, from, to) {
  const width = columns.length;
  const middle = Math.round((from + to) / 2);
  const half = up ? middle - from : to - middle;
  const heights = values.map((value) => (value > 0 ? Math.max(1, Math.round(half * Math.sqrt(value / top))) : 0));
  for (let x = 0; x < width; x += 1) {
    const height = heights[columns[x]] ?? 0;
    const first = up ? middle - height : middle;
    for (let y = first; y < first + height; y += 1) pixels[y * width + x] = shades[CALM];
  }
}

function strip(pixels, columns, values, { top, up, shades }, from, to) {
  const width = columns.length;
  const middle = to - from < 2 ? to : Math.floor((from + to) / 2);
  const [first, last] = up ? [from, middle] : [middle, to];
  if (first >= last) return;
  const strengthOf = strengths(top);
  const colours = new Uint32Array(values.length);
  for (let i = 0; i < values.length; i += 1) colours[i] = shades[Math.round(SHADES * strengthOf(values[i]))];
  const row = pixels.subarray(first * width, (first + 1) * width);
  for (let x = 0; x < width; x += 1) {
    const bin = columns[x];
    if (bin >= 0 && bin < colours.length) row[x] = colours[bin];
  }
  for (let y = first + 1; y < last; y += 1) pixels.copyWithin(y * width, first * width, (first + 1) * width);
}

function markColour(kind) {
  if (/LOST|DOWN|STILL|ABORT|DIVERGED/.test(kind)) return 'bad';
  if (/RESTART/.test(kind)) return 'busy';
  return /CAUGHT|CONNECTED|UP/.test(kind) ? 'good' : 'ink';
}

/** A triangle for what is bad, a ring for a checkpoint and the like, else a dot: the marks of the badges. */
function shape(context, kind, x, y, r, paper) {
  context.beginPath();
  if (markColour(kind) === 'bad') {
    context.moveTo(x, y - r);
    context.lineTo(x + r, y + r);
    context.lineTo(x - r, y + r);
  } else {
    context.arc(x, y, r, 0, 2 * Math.PI);
  }
  context.fill();
  if (markColour(kind) === 'ink') {
    context.fillStyle = paper;
    context.beginPath();
    context.arc(x, y, r - 1.5, 0, 2 * Math.PI);
    context.fill();
  }
}

customElements.define('rank-timeline', RankTimeline);
