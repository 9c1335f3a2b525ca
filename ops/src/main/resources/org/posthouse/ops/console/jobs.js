// Jobs with their ranks: those that run, and below those that have ended.

import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { countBy, isLive, sum } from '/console/model.js';
import { bytes, count, duration, plural, rate, word } from '/console/format.js';
import { badge, cell, col, empty, num, spark, table } from '/console/parts.js';

const HEAD = [
  num('Rank'), col('Site'), col('Home relay'), col('State'), num('Incarnation', 'how often this rank was started'),
  num('Sent'), num('Delivered'), num('Bytes sent'), num('Bytes delivered'),
  num('Unexpected', 'messages that wait for a receive'), num('Posted', 'receives that wait for a message'),
  col('Blocked in', 'the call that it has been inside for seconds'),
];

const STATES = ['CONNECTED', 'REPLAYING', 'WAITING', 'AWAY', 'LOST', 'FINALIZED', 'ENDED'];
const OPEN_RANKS_MAX = 32;
const ROWS_MAX = 64;
const CELLS_MAX = 2048;
const ENDED_JOBS_MAX = 5;

/** Owns what of the jobs is shown; its owner draws {@link section} after each change. */
export class JobsSection {
  /** @param onChange called when something is to be drawn again */
  constructor(onChange) {
    this.onChange = onChange;
    this.whole = new Set();
    this.opened = new Map();
    this.allEnded = false;
  }

  section(model, now) {
    const { jobs } = model.overview;
    const ended = jobs.filter((job) => !isLive(job));
    const hidden = this.allEnded ? [] : ended.slice(ENDED_JOBS_MAX);
    const summary = jobs.length > 0 ? `${jobs.length - ended.length} running, ${jobs.length} known` : nothing;
    return html`<section aria-labelledby="jobs-title">
      <h2 id="jobs-title">Jobs <span class="count">${summary}</span></h2>
      ${jobs.length === 0
        ? empty('No job has run here yet', html`Start one, and its ranks appear here as they connect:
            <code>posthouse run -n 4 -cp job.jar Main</code>`)
        : repeat(jobs.filter((job) => !hidden.includes(job)), (job) => job.id, (job) => this.panel(model, job, now))}
      ${hidden.length > 0 ? html`<button type="button" class="more" @click=${() => this.showEnded()}
        >Show ${plural(hidden.length, 'more job')} that ${hidden.length === 1 ? 'has' : 'have'} ended</button>` : nothing}
    </section>`;
  }

  panel(model, job, now) {
    const usual = isLive(job) && job.ranks.length <= OPEN_RANKS_MAX;
    const open = this.opened.get(job.id) ?? usual;
    return jobPanel(model, isLive(job) ? job : asEnded(job), now, {
      open,
      toggled: (event) => {
        if (event.target.open !== open) this.opened.set(job.id, event.target.open);
        this.onChange();
      },
      whole: this.whole.has(job.id),
      showWhole: () => {
        this.whole.add(job.id);
        this.onChange();
      },
    });
  }

  showEnded() {
    this.allEnded = true;
    this.onChange();
  }
}

/** A job that has ended, with no rank shown as connected or awaited. */
function asEnded(job) {
  const state = (rank) => (rank.state === 'FINALIZED' || rank.state === 'LOST' ? rank.state : 'ENDED');
  return { ...job, ranks: job.ranks.map((rank) => ({ ...rank, state: state(rank) })) };
}

/** Of a closed table no row is made: there may be thousands, each second. */
function jobPanel(model, job, now, { open, toggled, whole, showWhole }) {
  const live = isLive(job);
  const rows = !open ? [] : whole ? job.ranks : job.ranks.slice(0, ROWS_MAX);
  const relays = new Set(model.overview.relays.map((relay) => relay.relay));
  const here = job.ranks.filter((rank) => relays.has(rank.relay));
  const where = here.length < job.ranks.length ? ' at the relays here' : '';
  return html`<article class="panel job" aria-label="Job ${job.name}">
    <header>
      <h3>${job.name} ${badge(job.state)}</h3>
      <p class="facts"><span class="code">${job.id}</span><span>${plural(job.size, 'rank')}</span>
        <span>durability ${job.durability}</span><span>started ${duration(now - job.startedAt)} ago</span></p>
      ${job.divergences > 0 ? html`<p class="trouble">diverged ${count(job.divergences)} times, its result may be another:
        ${job.divergence}</p>` : nothing}
      ${job.launcherAwaitedUntil > 0 ? html`<p class="trouble">its launcher has gone; the job is kept for
        ${duration(job.launcherAwaitedUntil - now)} more (posthouse resume)</p>` : nothing}
      ${job.standsStillSince > 0 ? html`<p class="trouble">stands still: all its ranks that have not called Finalize have
        waited for ${duration(now - job.standsStillSince)}</p>` : nothing}
      ${live ? html`<p class="speed"><span class="figure">${rate(model.perSecond(`job ${job.id}`))}</span>
        <span class="unit">messages/s</span>
        ${spark(model.history(`job ${job.id}`), { width: 120, height: 24, label: `Messages sent by ${job.name}` })}
      </p>` : nothing}
    </header>
    ${rankGrid(job)}
    <details ?open=${open} @toggle=${toggled}>
      <summary>Ranks <span class="count">${count(sum(here, (rank) => rank.messagesSent))} messages sent,
        ${count(sum(here, (rank) => rank.messagesDelivered))} delivered${where}</span></summary>
      ${table(`Ranks of ${job.name}`, HEAD, rows.map((rank) => rankRow(rank, relays.has(rank.relay), now)), { hidden: true })}
      ${open && rows.length < job.ranks.length
        ? html`<button type="button" @click=${showWhole}>Show all ${count(job.ranks.length)} ranks</button>` : nothing}
    </details>
  </article>`;
}

function rankGrid(job) {
  const byState = countBy(job.ranks, (rank) => rank.state);
  const missing = Math.max(0, job.size - job.ranks.length);
  const legend = STATES.filter((state) => byState.has(state)).map((state) => [state, byState.get(state)]);
  if (missing > 0) legend.push(['UNHEARD', missing]);
  const text = legend.map(([state, n]) => `${n} ${word(state)}`).join(', ');
  return html`<div class="ranks">
    <div class="grid" role="img" aria-label="${plural(job.size, 'rank')}: ${text}">
      ${job.ranks.slice(0, CELLS_MAX).map((rank) => cell(rank.state, `rank ${rank.rank}: ${word(rank.state)} at ${rank.site}`))}
    </div>
    <ul class="legend" aria-hidden="true">${legend.map(([state, n]) => html`<li>
      ${cell(state)}
      <b>${count(n)}</b> ${state === 'UNHEARD' ? 'not heard of' : word(state)}</li>`)}</ul>
  </div>`;
}

/** @param here whether its relay is one of those shown: only that has counted what it does */
function rankRow(rank, here, now) {
  const figures = here
    ? [count(rank.messagesSent), count(rank.messagesDelivered), bytes(rank.bytesSent), bytes(rank.bytesDelivered),
      count(rank.unexpected), count(rank.posted)]
    : Array(6).fill('–');
  return html`<tr class=${rank.state === 'LOST' ? 'trouble' : ''}>
    <th scope="row" class="num">${rank.rank}</th>
    <td>${rank.site}</td>
    <td>${rank.relay}</td>
    <td>${badge(rank.state)}</td>
    <td class="num">${rank.incarnation}</td>
    ${figures.map((figure) => html`<td class="num">${figure}</td>`)}
    <td>${rank.blockedIn ? html`${rank.blockedIn}<span class="sub">for ${duration(now - rank.blockedSince)}</span>` : nothing}</td>
  </tr>`;
}
