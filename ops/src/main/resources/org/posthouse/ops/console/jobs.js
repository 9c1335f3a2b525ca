// Jobs as cards: those that run, and below those that have ended.

import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { countBy, isLive, standing } from '/console/model.js';
import { count, duration, plural, rate, word } from '/console/format.js';
import { cell, empty, jobBadge, spark } from '/console/parts.js';
import { jobPath } from '/console/router.js';

const STATES = ['CONNECTED', 'REPLAYING', 'WAITING', 'NOT_HEARD', 'AWAY', 'LOST', 'FINALIZED', 'ENDED'];
const CELLS_MAX = 2048;
const ENDED_JOBS_MAX = 5;

/** @param allEnded whether all jobs that have ended are shown; @param showEnded called to show them */
export function jobsSection(model, now, allEnded, showEnded) {
  const { jobs } = model.overview;
  const ended = jobs.filter((job) => !isLive(job));
  const hidden = allEnded ? [] : ended.slice(ENDED_JOBS_MAX);
  const summary = jobs.length > 0 ? `${jobs.length - ended.length} running, ${jobs.length} known` : nothing;
  return html`<section aria-labelledby="jobs-title">
    <h2 id="jobs-title">Jobs <span class="count">${summary}</span></h2>
    ${jobs.length === 0 ? noJob(model.overview) : html`<div class="cards">${repeat(jobs.filter((job) => !hidden.includes(job)),
      (job) => job.id, (job) => card(model, shownJob(job), now))}</div>`}
    ${hidden.length > 0 ? html`<button type="button" class="more" @click=${showEnded}
      >Show ${plural(hidden.length, 'more job')} that ${hidden.length === 1 ? 'has' : 'have'} ended</button>` : nothing}
  </section>`;
}

/** A relay that reads its log does not know yet which jobs are in it. */
function noJob(overview) {
  const reading = overview.relays.filter((relay) => !relay.ready && !relay.log);
  if (reading.length > 0) return empty('Jobs are not known yet', reading.map((relay) => relay.reasons.join('; ')).join('; '));
  return empty('No job has run here yet', html`Start one, and its ranks appear here as they connect:
    <code>posthouse run -n 4 -cp job.jar Main</code>`);
}

/** Of a job that has ended no rank is shown as connected or awaited. */
export function shownJob(job) {
  if (isLive(job)) return job;
  const state = (rank) => (rank.state === 'FINALIZED' || rank.state === 'LOST' ? rank.state : 'ENDED');
  return { ...job, ranks: job.ranks.map((rank) => ({ ...rank, state: state(rank) })) };
}

function card(model, job, now) {
  return html`<article class="panel job" aria-label="Job ${job.name}">
    <header>
      <h3><a href=${jobPath(job.id)}>${job.name}</a> ${jobBadge(job)}</h3>
      ${jobFacts(job, now)}
      ${jobTroubles(job, now)}
      ${isLive(job) ? jobSpeed(model, job) : nothing}
    </header>
    ${rankGrid(job)}
  </article>`;
}

export function jobFacts(job, now) {
  return html`<p class="facts"><span class="code">${job.id}</span><span>${plural(job.size, 'rank')}</span>
    <span>durability ${job.durability}</span><span>started ${duration(now - job.startedAt)} ago</span></p>`;
}

export function jobSpeed(model, job) {
  return html`<p class="speed"><span class="figure">${rate(model.perSecond(`job ${job.id}`))}</span>
    <span class="unit">messages/s</span>
    ${spark(model.history(`job ${job.id}`), { width: 120, height: 24, label: `Messages sent by ${job.name}` })}</p>`;
}

/** What somebody should look at, each in a line. */
export function jobTroubles(job, now) {
  const { notHeard, notHeardSince, blocked } = standing(job);
  return html`
    ${job.divergences > 0 ? html`<p class="trouble">diverged ${count(job.divergences)} times, its result may be another:
      ${job.divergence}</p>` : nothing}
    ${job.launcherAwaitedUntil > 0 ? html`<p class="trouble">its launcher has gone; the job is kept for
      ${duration(job.launcherAwaitedUntil - now)} more (posthouse resume)</p>` : nothing}
    ${isLive(job) && job.standsStillSince > 0 ? html`<p class="trouble">stands still: all its ranks that have not called Finalize have
      waited for ${duration(now - job.standsStillSince)}</p>` : nothing}
    ${notHeard > 0 ? html`<p class="trouble">${plural(notHeard, 'rank')} not heard for ${duration(now - notHeardSince)}: their relay is silent</p>` : nothing}
    ${isLive(job) && blocked > 0 && !(job.standsStillSince > 0) ? html`<p class="facts">${plural(blocked, 'rank')} blocked in a call</p>` : nothing}`;
}

export function rankGrid(job) {
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
