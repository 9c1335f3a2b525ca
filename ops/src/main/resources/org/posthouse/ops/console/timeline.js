// The message timeline of a job: its last minutes, to be zoomed into.

import { html, nothing } from 'lit';
import { clock, count, duration } from '/console/format.js';
import { col, kindBadge, num, table } from '/console/parts.js';
import { jobFrame } from '/console/job.js';
import { missingRelays, pending } from '/console/matrix.js';
import '/console/timelinecanvas.js';

const MARKS_HEAD = [col('Time'), col('Event'), num('Rank')];
const WAITS_HEAD = [num('Rank'), col('Call'), col('Since'), num('For')];
const ROWS_MAX = 40;

/** Owns what of the timeline is shown. */
export class TimelinePage {
  /** @param onChange called when something is to be drawn again */
  constructor(onChange) {
    this.onChange = onChange;
    this.span = null;
    this.chosen = null;
  }

  draw(page) {
    return jobFrame(page, () => html`<section aria-labelledby="timeline-title">
      <div class="title"><h2 id="timeline-title">Message timeline</h2>${this.span
        ? html`<button type="button" @click=${() => this.change({ span: null })}>Show all</button>` : nothing}</div>
      ${pending(page)}
      ${page.poller.value ? this.shown(page.poller.value, page.now) : nothing}</section>`);
  }

  change(to) {
    Object.assign(this, to);
    this.onChange();
  }

  shown(timeline, now) {
    return html`
      ${missingRelays(timeline.missing)}
      <div class="panel pad">
        <rank-timeline tabindex="0" role="application" aria-roledescription="timeline" aria-label=${'Timeline: plus and minus zoom, 0 shows all,'
          + ' arrow keys choose a rank and a second, which are told below'} .picture=${{ timeline, span: this.span, chosen: this.chosen }}
          @choose=${(event) => this.change({ chosen: event.detail })} @span=${(event) => this.change({ span: event.detail })}></rank-timeline>
        <p class="readout" role="status">${this.readout(timeline, now)}</p>
        <ul class="legend keys"><li><i class="cell sent"></i>sent</li><li><i class="cell got"></i>delivered</li>
          <li><i class="cell wait"></i>waits in a call</li><li>${kindBadge('RANK_LOST')}</li><li>${kindBadge('RANK_RESTARTED')}</li>
          <li>${kindBadge('CHECKPOINT')}</li></ul>
      </div>
      <div class="split even">${marksTable(timeline, now)}${waitsTable(timeline, now)}</div>`;
  }

  readout(timeline, now) {
    if (!this.chosen) return 'Point at a lane. The wheel zooms, dragging moves.';
    const rank = timeline.ranks.find((one) => one.rank === this.chosen.rank);
    const bin = Math.floor((this.chosen.at - timeline.from) / timeline.stepMs);
    if (!rank || bin < 0 || bin >= rank.sent.length) return 'Nothing is kept of that time.';
    const wait = rank.waits.find((one) => one.from <= this.chosen.at && (one.to === 0 || one.to >= this.chosen.at));
    return `rank ${rank.rank}, ${clock(timeline.from + bin * timeline.stepMs, now)}: ${count(rank.sent[bin])} sent, ${count(rank.delivered[bin])} delivered${
      wait ? `; waits in ${wait.call}` : ''}`;
  }
}

function marksTable(timeline, now) {
  const marks = [...timeline.marks].sort((a, b) => b.at - a.at).slice(0, ROWS_MAX);
  if (marks.length === 0) return nothing;
  return html`<div class="panel">${table('Marks', MARKS_HEAD, marks.map((mark) => html`<tr>
    <td class="time">${clock(mark.at, now)}</td><td>${kindBadge(mark.kind)}</td><td class="num">${mark.rank >= 0 ? mark.rank : nothing}</td></tr>`))}</div>`;
}

/** The longest first. */
function waitsTable(timeline, now) {
  const length = (wait) => (wait.to || now) - wait.from;
  const waits = timeline.ranks.flatMap((rank) => rank.waits.map((wait) => ({ ...wait, rank: rank.rank })))
    .sort((a, b) => length(b) - length(a)).slice(0, ROWS_MAX);
  if (waits.length === 0) return nothing;
  return html`<div class="panel">${table('Waits', WAITS_HEAD, waits.map((wait) => html`<tr>
    <th scope="row" class="num">${wait.rank}</th><td class="wrap">${wait.call}</td><td class="time">${clock(wait.from, now)}</td>
    <td class="num">${duration(length(wait))}${wait.to ? nothing : html`<span class="sub">still</span>`}</td></tr>`))}</div>`;
}
