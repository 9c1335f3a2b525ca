// Small pieces that several sections share. Pure templates.

import { html, svg, nothing } from 'lit';
import { isLive, standing } from '/console/model.js';
import { bytes, count, rate, word } from '/console/format.js';

const SPARK_MS = 120_000;

const TONES = {
  UP: 'good', CONNECTED: 'good', RUNNING: 'good', READY: 'good', ALIVE: 'good', OPEN: 'good',
  CONNECTING: 'busy', STARTING: 'busy', REPLAYING: 'busy', WAITING: 'idle',
  FINALIZED: 'idle', FINISHED: 'idle', ENDED: 'idle',
  NOT_HEARD: 'idle', 'STANDS STILL': 'bad',
  DOWN: 'bad', LOST: 'bad', AWAY: 'bad', FAILED: 'bad', ABORTED: 'bad', 'NOT READY': 'bad', SILENT: 'bad',
};

export function tone(state) {
  return TONES[state] ?? 'idle';
}

/** A state as a shape, a colour and a word, so that none of the three is needed alone. */
export function badge(state, title) {
  const t = tone(state);
  return html`<span class="badge ${t}" title=${title ?? nothing}>${mark(t)}${word(state)}</span>`;
}

/** A job is good only if all of its ranks are known to be well. */
export function jobBadge(job) {
  if (!isLive(job)) return badge(job.state);
  if (job.standsStillSince > 0) return badge('STANDS STILL');
  const { lost, away, notHeard } = standing(job);
  const told = [[lost, 'lost'], [away, 'away'], [notHeard, 'not heard']].filter(([n]) => n > 0).map(([n, what]) => `${count(n)} ${what}`);
  if (told.length === 0) return badge(job.state);
  const t = lost + away > 0 ? 'bad' : 'busy';
  return html`<span class="badge ${t}">${mark(t)}${word(job.state)}, ${told.join(', ')}</span>`;
}

/** What kind of event it is; kinds of later versions are shown as they are. */
export function kindBadge(kind) {
  const t = /LOST|DOWN|STILL|ABORT|DIVERGED/.test(kind) ? 'bad' : /RESTART|LEFT|(^|_)DRAINED|MODE|LOG_STATE/.test(kind) ? 'busy'
    : /UP|CONNECTED|CAUGHT|OPENED|UNDRAINED/.test(kind) ? 'good' : 'idle';
  return html`<span class="badge ${t}">${mark(t)}${word(kind)}</span>`;
}

/** The same as a square of a grid. Its state has a shape of its own where the colour is another's, too. */
export function cell(state, title) {
  return html`<i class="cell ${tone(state)} ${state.toLowerCase()}" title=${title ?? nothing}></i>`;
}

function mark(t) {
  const shape = {
    good: svg`<circle cx="5" cy="5" r="4"/>`,
    busy: svg`<path d="M5 1a4 4 0 1 1-4 4" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"/>`,
    bad: svg`<path d="M5 .6 9.600 9H.4z"/>`,
    idle: svg`<circle cx="5" cy="5" r="3.200" fill="none" stroke="currentColor" stroke-width="1.600"/>`,
  }[t];
  return html`<svg class="mark" viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">${shape}</svg>`;
}

/** The last two minutes as a line; newest at the right. Says its last and highest value to a screen reader. */
export function spark(whole, { width = 120, height = 28, label, write = rate }) {
  const history = whole.filter(([at]) => at >= whole.at(-1)[0] - SPARK_MS);
  const values = history.map(([, value]) => value);
  const top = Math.max(...values, 0);
  const newest = history.at(-1)?.[0];
  const y = (value) => (top === 0 ? height - 1 : height - 1 - (value / top) * (height - 4));
  const x = (at) => width - ((newest - at) / SPARK_MS) * width;
  const points = history.map(([at, value]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`);
  const text = history.length === 0 ? `${label}: no sample yet`
    : `${label}: now ${write(values.at(-1))} per second, at most ${write(top)} in the last two minutes`;
  return html`<svg class="spark" viewBox="0 0 ${width} ${height}" width=${width} height=${height} role="img"
      aria-label=${text} preserveAspectRatio="none">
    <line class="base" x1="0" x2=${width} y1=${height - 0.5} y2=${height - 0.5}></line>
    ${points.length < 2 ? nothing : svg`
      <polygon class="area" points="${x(history[0][0]).toFixed(1)},${height} ${points.join(' ')} ${width},${height}"></polygon>
      <polyline class="line" points=${points.join(' ')}></polyline>`}
  </svg>`;
}

/** A table that scrolls sideways when it must, or `stacks` its cells in a narrow window; the region takes the focus so that the keyboard can scroll it. */
export function table(caption, head, rows, { hidden = false, stacks = false } = {}) {
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}, table">
    <table class=${stacks ? 'stacks' : nothing}>
      <caption class=${hidden ? 'visually-hidden' : ''}>${caption}</caption>
      <thead><tr>${head.map((h) => html`
        <th scope="col" class=${h.num ? 'num' : ''} title=${h.title ?? nothing}>${h.text}</th>`)}</tr></thead>
      <tbody>${rows}</tbody>
    </table>
  </div>`;
}

/** Messages per second and, below, bytes per second. */
export function speedCell(model, key, direction) {
  const flow = model.perSecond(`${key} bytes${direction}`);
  return html`<td class="num"><span class="strong">${rate(model.perSecond(`${key} messages${direction}`))}</span>
    <span class="sub">${bytes(flow == null ? null : Math.round(flow))}</span></td>`;
}

export const col = (text, title) => ({ text, title });
export const num = (text, title) => ({ text, title, num: true });

export function empty(title, text) {
  return html`<div class="empty"><p class="empty-title">${title}</p><p>${text}</p></div>`;
}

/** What is used of a bound, as a bar and in words; a part of it may be marked, such as what cannot be freed. */
export function gauge(label, used, bound, { write = bytes, marked = 0, markedText = '' } = {}) {
  const share = (n) => `${Math.min(100, bound > 0 ? (100 * n) / bound : 0).toFixed(1)}`;
  const text = `${write(used)} of ${write(bound)}${markedText ? `, ${markedText}` : ''}`;
  return html`<div class="gauge">
    <span class="gauge-label">${label}</span>
    <svg viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="${label}: ${text}">
      <rect class="gauge-bound" width="100" height="8"></rect>
      <rect class="gauge-used ${used > bound * 0.9 ? 'bad' : ''}" width=${share(used)} height="8"></rect>
      <rect class="gauge-marked" width=${share(marked)} height="8"></rect>
    </svg>
    <span class="gauge-text" aria-hidden="true">${text}</span>
  </div>`;
}

/** Names and values, in columns. Entries that are `nothing` are left out. */
export function facts(entries) {
  return html`<dl class="facts-grid">${entries.filter(Boolean).map(([name, value, sub]) => html`
    <div><dt>${name}</dt><dd>${value}${sub ? html`<span class="sub">${sub}</span>` : nothing}</dd></div>`)}</dl>`;
}

/** The way up from a page. */
export function crumbs(...parts) {
  return html`<nav class="crumbs" aria-label="Breadcrumb"><ol>${parts.map(([text, href]) => html`<li>${href
    ? html`<a href=${href}>${text}</a>` : html`<span aria-current="page">${text}</span>`}</li>`)}</ol></nav>`;
}

export function missing(title, text) {
  return html`<section class="missing"><h2>${title}</h2><p>${text}</p><p><a href="/">To the grid</a></p></section>`;
}
