// The communication matrix as a picture: a row for each sender, a column for each receiver.

import { PaintedElement, strengths } from '/console/canvas.js';

const LEFT = 38;
const TOP = 22;
const SIDE_MAX = 660;
const TICKS_MAX = 16;

class RankMatrix extends PaintedElement {
  /** @param value `size`, `values` (size × size, by rows), `borders` (ranks before which another site begins), `chosen` [source, destination] */
  set picture(value) {
    this.data = value;
    this.redraw();
  }

  listen() {
    this.canvas.addEventListener('pointermove', (event) => this.point(event));
    this.addEventListener('keydown', (event) => this.step(event));
  }

  heightFor(width) {
    return this.data ? TOP + Math.min(SIDE_MAX, width - LEFT) : 0;
  }

  get side() {
    return Math.min(SIDE_MAX, this.clientWidth - LEFT - 1);
  }

  point(event) {
    const each = this.side / this.data.size;
    const column = Math.floor((event.offsetX - LEFT) / each);
    const row = Math.floor((event.offsetY - TOP) / each);
    const inside = (n) => n >= 0 && n < this.data.size;
    if (inside(row) && inside(column)) this.tell('choose', [row, column]);
  }

  step(event) {
    const ways = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (!(event.key in ways)) return;
    event.preventDefault();
    const within = (n) => Math.min(this.data.size - 1, Math.max(0, n));
    const [row, column] = this.data.chosen ?? [0, -1];
    this.tell('choose', [within(row + ways[event.key][0]), within(column + ways[event.key][1])]);
  }

  paint(context) {
    const { size, borders, chosen } = this.data;
    const { side } = this;
    const each = side / size;
    context.fillStyle = this.colour('paper');
    context.fillRect(LEFT, TOP, side, side);
    this.paintCells(context, each);
    context.strokeStyle = this.colour('line-strong');
    context.strokeRect(LEFT + 0.5, TOP + 0.5, side - 1, side - 1);
    for (const rank of borders) {
      const at = Math.round(rank * each) + 0.5;
      line(context, LEFT + at, TOP, LEFT + at, TOP + side);
      line(context, LEFT, TOP + at, LEFT + side, TOP + at);
    }
    this.paintTicks(context, each);
    if (chosen) {
      context.strokeStyle = this.colour('focus');
      context.lineWidth = 2;
      context.strokeRect(LEFT + chosen[1] * each - 1, TOP + chosen[0] * each - 1, Math.max(4, each) + 2, Math.max(4, each) + 2);
      context.lineWidth = 1;
    }
  }

  paintCells(context, each) {
    const { size, values } = this.data;
    const strengthOf = strengths(values.reduce((high, value) => Math.max(high, value), 0));
    const gap = each >= 6 ? 1 : 0;
    context.fillStyle = this.colour('accent');
    for (let cell = 0; cell < values.length; cell += 1) {
      if (values[cell] > 0) {
        context.globalAlpha = strengthOf(values[cell]);
        context.fillRect(LEFT + (cell % size) * each, TOP + Math.floor(cell / size) * each, each - gap, each - gap);
      }
    }
    context.globalAlpha = 1;
  }

  paintTicks(context, each) {
    const { size } = this.data;
    const every = Math.max(1, 2 ** Math.ceil(Math.log2(size / TICKS_MAX)));
    context.fillStyle = this.colour('soft');
    context.textBaseline = 'middle';
    for (let rank = 0; rank < size; rank += every) {
      const at = (rank + 0.5) * each;
      context.textAlign = 'right';
      context.fillText(rank, LEFT - 6, TOP + at);
      context.textAlign = 'center';
      context.fillText(rank, LEFT + at, TOP - 9);
    }
  }
}

function line(context, x1, y1, x2, y2) {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

customElements.define('rank-matrix', RankMatrix);
