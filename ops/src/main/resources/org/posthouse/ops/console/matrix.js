// The communication matrix of a job: who has sent how much to whom.

import { html, nothing } from 'lit';
import { bytes, count, plural } from '/console/format.js';
import { col, empty, facts, num, table } from '/console/parts.js';
import { jobFrame } from '/console/job.js';
import '/console/matrixcanvas.js';

const FLOWS_HEAD = [num('From'), num('To'), num('Messages'), num('Bytes')];
const LARGEST_MAX = 10;
const CELLS_SHOWN_MAX = 1_000;

/** Places in a cell of the API's answer. */
const [MESSAGES, BYTES] = [2, 3];

/** Owns what of the matrix is shown. */
export class MatrixPage {
  /** @param onChange called when something is to be drawn again */
  constructor(onChange) {
    this.onChange = onChange;
    this.measure = MESSAGES;
    this.chosen = null;
    this.open = false;
  }

  draw(page) {
    return jobFrame(page, (job) => html`<section aria-labelledby="matrix-title">
      <div class="title"><h2 id="matrix-title">Communication matrix</h2>${this.switches()}</div>
      ${pending(page)}
      ${page.poller.value ? this.shown(page.poller.value, job) : nothing}</section>`);
  }

  switches() {
    const radio = (measure, text) => html`<label><input type="radio" name="measure" .checked=${this.measure === measure}
      @change=${() => this.change({ measure })}> ${text}</label>`;
    return html`<fieldset class="switch"><legend class="visually-hidden">What is shown</legend>
      ${radio(MESSAGES, 'Messages')} ${radio(BYTES, 'Bytes')}</fieldset>`;
  }

  change(to) {
    Object.assign(this, to);
    this.onChange();
  }

  shown(matrix, job) {
    const largest = [...matrix.cells].sort((a, b) => b[this.measure] - a[this.measure]);
    return html`
      ${missingRelays(matrix.missing)}
      <div class="split wide"><div class="panel pad">
        <rank-matrix tabindex="0" role="application" aria-roledescription="matrix" aria-label=${`Matrix of ${plural(matrix.size, 'rank')}: arrow keys`
          + ' choose a cell, which is told below'} .picture=${picture(matrix, job, this.measure, this.chosen)}
          @choose=${(event) => this.change({ chosen: event.detail })}></rank-matrix>
        <p class="readout" role="status">${this.readout(matrix, job)}</p></div>
        <div><div class="panel pad">${sums(matrix, job)}</div>
          <div class="panel">${table('Largest flows', FLOWS_HEAD, largest.slice(0, LARGEST_MAX).map(flowRow))}</div></div>
      </div>
      <details class="panel" ?open=${this.open} @toggle=${(event) => this.toggled(event)}><summary>All flows as a table</summary>
        ${this.open ? allFlows(matrix.cells) : nothing}</details>`;
  }

  toggled(event) {
    if (event.target.open !== this.open) this.change({ open: event.target.open });
  }

  readout(matrix, job) {
    if (!this.chosen) return 'Point at a cell: rows send, columns receive.';
    const [from, to] = this.chosen;
    const cell = matrix.cells.find(([source, destination]) => source === from && destination === to);
    const site = (rank) => job.ranks.find((one) => one.rank === rank)?.site ?? 'unknown';
    return `rank ${from} (${site(from)}) to rank ${to} (${site(to)}): ${cell ? `${plural(cell[MESSAGES], 'message')}, ${bytes(cell[BYTES])}`
      : 'nothing'}`;
  }
}

/** Until the first answer, and when there is none. */
export function pending({ poller, paths }) {
  if (poller.failure) return html`<div class="notice bad">${poller.failure}</div>`;
  if (poller.value || paths.size === 0) return nothing;
  return poller.path ? html`<p class="first-wait">Asking the job's relays…</p>`
    : empty('Not told here', 'The relay of this console is of a version that does not collect it.');
}

export function missingRelays(missing) {
  return missing?.length > 0 ? html`<div class="notice"><strong>Not all is shown:</strong> ${missing.join(', ')} did not answer.</div>` : nothing;
}

function picture(matrix, job, measure, chosen) {
  const values = new Float64Array(matrix.size * matrix.size);
  for (const cell of matrix.cells) values[cell[0] * matrix.size + cell[1]] = cell[measure];
  const borders = job.ranks.filter((rank, i) => i > 0 && rank.site !== job.ranks[i - 1].site).map((rank) => rank.rank);
  return { size: matrix.size, values, borders, chosen };
}

function sums(matrix, job) {
  const site = new Map(job.ranks.map((rank) => [rank.rank, rank.site]));
  const total = (cells, measure) => cells.reduce((sum, cell) => sum + cell[measure], 0);
  const across = matrix.cells.filter(([source, destination]) => site.get(source) !== site.get(destination));
  const share = (measure) => (total(matrix.cells, measure) > 0 ? `${Math.round((100 * total(across, measure)) / total(matrix.cells, measure))} %` : '–');
  return facts([
    ['Messages', count(total(matrix.cells, MESSAGES)), `${share(MESSAGES)} between sites`],
    ['Bytes', bytes(total(matrix.cells, BYTES)), `${share(BYTES)} between sites`],
    ['Pairs', count(matrix.cells.length), `of ${count(matrix.size * matrix.size)}`],
  ]);
}

function flowRow([source, destination, messages, size]) {
  return html`<tr><td class="num">${source}</td><td class="num">${destination}</td><td class="num">${count(messages)}</td><td class="num">${bytes(size)}</td></tr>`;
}

function allFlows(cells) {
  return html`${table('Flows by rank', FLOWS_HEAD, cells.slice(0, CELLS_SHOWN_MAX).map(flowRow), { hidden: true })}
    ${cells.length > CELLS_SHOWN_MAX ? html`<p class="pad sub">The first ${count(CELLS_SHOWN_MAX)} of ${count(cells.length)};
      the API has all.</p>` : nothing}`;
}
