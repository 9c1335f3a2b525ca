// Speeds of the last quarter of an hour as a chart, drawn by uPlot.

import uPlot from 'uplot';
import { bytes, clock, plural, rate } from '/console/format.js';

const HEIGHT = 190;
const SPAN_MS = 900_000;

class RateChart extends HTMLElement {
  /** @param value `series`: for each a `label`, `token` (its colour), and `history` (pairs of time and value); `unit`: 'messages' or 'bytes' */
  set lines(value) {
    this.given = value;
    if (this.isConnected) this.draw();
  }

  connectedCallback() {
    if (Object.hasOwn(this, 'lines')) this.adopt();
    this.scheme = matchMedia('(prefers-color-scheme: dark)');
    this.onScheme = () => this.rebuild();
    this.scheme.addEventListener('change', this.onScheme);
    this.resized = new ResizeObserver(() => this.plot?.setSize({ width: this.clientWidth, height: HEIGHT }));
    this.resized.observe(this);
    if (this.given) this.draw();
  }

  /** What was given before this module was loaded. */
  adopt() {
    const { lines } = this;
    delete this.lines;
    this.given = lines;
  }

  disconnectedCallback() {
    this.scheme.removeEventListener('change', this.onScheme);
    this.resized.disconnect();
    this.plot?.destroy();
    this.plot = null;
  }

  rebuild() {
    this.plot?.destroy();
    this.plot = null;
    this.draw();
  }

  draw() {
    const data = merged(this.given.series.map((one) => one.history));
    if (!this.plot) this.plot = new uPlot(this.options(), data, this);
    else this.plot.setData(data);
    const newest = this.given.series.map((one) => `${one.label} ${this.write(one.history.at(-1)?.[1])}`).join(', ');
    this.setAttribute('role', 'img');
    this.setAttribute('aria-label', `${this.given.title}, now: ${newest} per second; of the last ${plural(15, 'minute')}`);
  }

  write(value) {
    return this.given.unit === 'bytes' ? bytes(value == null ? null : Math.round(value)) : rate(value);
  }

  options() {
    const token = (name) => getComputedStyle(this).getPropertyValue(`--${name}`).trim();
    const axis = { stroke: token('soft'), grid: { stroke: token('line'), width: 1 }, ticks: { show: false }, font: '11px system-ui, sans-serif' };
    const latest = () => Math.max(...this.given.series.map((one) => one.history.at(-1)?.[0] ?? 0)) / 1000;
    return {
      width: this.clientWidth || 600,
      height: HEIGHT,
      cursor: { drag: { x: false, y: false } },
      scales: { x: { range: () => [latest() - SPAN_MS / 1000, latest()] }, y: { range: (_, low, high) => [0, high > 0 ? high * 1.1 : 1] } },
      axes: [
        { ...axis, values: (_, times) => times.map((at) => new Date(at * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hour12: false })) },
        { ...axis, size: 74, values: (_, values) => values.map((value) => this.write(value)) },
      ],
      series: [
        { label: 'Time', value: (_, at) => (at == null ? '' : clock(at * 1000, at * 1000)) },
        ...this.given.series.map((one, i) => ({
          label: one.label, stroke: token(one.token), width: 1.5, points: { show: false },
          value: (_, value) => `${this.write(value ?? this.given.series[i].history.at(-1)?.[1])}/s`,
        })),
      ],
    };
  }
}

/** On one axis of time, in seconds; null where a series has no sample. */
function merged(histories) {
  const times = [...new Set(histories.flatMap((history) => history.map(([at]) => at)))].sort((a, b) => a - b);
  const columns = histories.map((history) => {
    const byTime = new Map(history);
    return times.map((at) => byTime.get(at) ?? undefined);
  });
  return [times.map((at) => at / 1000), ...columns];
}

customElements.define('rate-chart', RateChart);
