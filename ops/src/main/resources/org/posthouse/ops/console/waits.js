// Who waits for whom: ranks on a circle, an arrow for each wait, and the cycles that cannot end by themselves.

import { html, nothing, svg } from 'lit';
import { duration, plural } from '/console/format.js';
import { col, empty, num, table } from '/console/parts.js';
import { jobFrame } from '/console/job.js';
import { pending } from '/console/matrix.js';

const HEAD = [num('Rank'), col('Waits in'), num('For'), col('Until a message of')];
const SIDE = 480;
const RADIUS = 200;
const DOT = 15;

/** Of more, arrows would cover each other; those of cycles are drawn first. */
const RANKS_DRAWN_MAX = 48;

export function waitsPage(page) {
  return jobFrame(page, () => html`<section aria-labelledby="waits-title">
    <h2 id="waits-title">Who waits for whom</h2>
    ${pending(page)}
    ${page.poller.value ? shown(page.poller.value, page.now) : nothing}</section>`);
}

function shown({ waits, cycles }, now) {
  if (waits.length === 0) return empty('No rank waits', 'Ranks that have been inside a call for seconds appear here, with those they wait for.');
  const inCycle = new Set(cycles.flat());
  return html`
    ${cycles.map((cycle) => html`<div class="notice bad"><strong>A cycle:</strong> ${[...cycle, cycle[0]].map((rank) => `rank ${rank}`).join(' → ')}.
      Each waits for the next, so none can go on.</div>`)}
    <div class="split wide">
      <div class="panel pad">${graph(waits, cycles)}</div>
      <div class="panel">${table('Waits', HEAD, waits.map((wait) => html`<tr class=${inCycle.has(wait.rank) ? 'trouble' : ''}>
        <th scope="row" class="num">${wait.rank}</th>
        <td class="wrap">${wait.call}</td>
        <td class="num">${duration(now - wait.since)}</td>
        <td class="wrap">${peersText(wait)}</td></tr>`), { hidden: true })}</div>
    </div>`;
}

function peersText({ peers, any }) {
  if (peers.length === 0) return '–';
  if (peers.length === 1) return `rank ${peers[0]}`;
  return `${any ? 'any' : 'all'} of ranks ${peers.join(', ')}`;
}

function graph(waits, cycles) {
  const order = [...new Set([...cycles.flat(), ...waits.flatMap((wait) => [wait.rank, ...wait.peers])])].slice(0, RANKS_DRAWN_MAX);
  const ranks = [...order].sort((a, b) => a - b);
  const places = new Map(ranks.map((rank, i) => [rank, place(i, ranks.length)]));
  const inCycle = new Set(cycles.flatMap((cycle) => cycle.map((rank, i) => `${rank} ${cycle[(i + 1) % cycle.length]}`)));
  const arrows = waits.flatMap((wait) => wait.peers.map((peer) => ({ from: wait.rank, to: peer, any: wait.any })))
    .filter(({ from, to }) => places.has(from) && places.has(to));
  const stuck = new Set(cycles.flat());
  const label = `${plural(waits.length, 'rank')} that wait, ${plural(cycles.length, 'cycle')}; the table has the same in words`;
  return html`<svg class="waits" viewBox="0 0 ${SIDE} ${SIDE}" role="img" aria-label=${label}>
    <defs>${['plain', 'cycle'].map((name) => svg`<marker id="arrow-${name}" class=${name} viewBox="0 0 8 8" refX="7" refY="4"
      markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"></path></marker>`)}</defs>
    ${arrows.map(({ from, to, any }) => arrow(places.get(from), places.get(to), inCycle.has(`${from} ${to}`), any))}
    ${ranks.map((rank) => svg`<g class="waiter ${stuck.has(rank) ? 'stuck' : ''}">
      <circle cx=${places.get(rank).x} cy=${places.get(rank).y} r=${DOT}></circle>
      <text x=${places.get(rank).x} y=${places.get(rank).y + 4}>${rank}</text></g>`)}
  </svg>`;
}

function place(i, n) {
  const angle = (2 * Math.PI * i) / n - Math.PI / 2;
  const radius = n === 1 ? 0 : n < 4 ? RADIUS * 0.7 : RADIUS;
  return { x: SIDE / 2 + radius * Math.cos(angle), y: SIDE / 2 + radius * Math.sin(angle) };
}

/** Bent to one side, so that two ranks that wait for each other have two arrows. */
function arrow(from, to, cycle, any) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy);
  if (length === 0) return nothing; // It waits for itself: said in the table.
  const bend = Math.min(40, length * 0.15);
  const [mx, my] = [(from.x + to.x) / 2 - (dy / length) * bend, (from.y + to.y) / 2 + (dx / length) * bend];
  const end = Math.hypot(to.x - mx, to.y - my);
  const [ex, ey] = [to.x - ((to.x - mx) / end) * (DOT + 2), to.y - ((to.y - my) / end) * (DOT + 2)];
  const name = cycle ? 'cycle' : 'plain';
  return svg`<path class="wait ${name} ${any ? 'any' : ''}" d="M${from.x} ${from.y}Q${mx} ${my} ${ex} ${ey}" marker-end="url(#arrow-${name})"></path>`;
}
