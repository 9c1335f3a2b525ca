// The events, newest first, with a filter that stands in the address.

import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { clock, count, plural, word } from '/console/format.js';
import { col, empty, kindBadge, num, table } from '/console/parts.js';
import { jobPath } from '/console/router.js';

const HEAD = [col('Time'), col('Event'), col('Relay'), col('Job'), num('Rank'), col('What happened')];
const ROWS_MAX = 300;
const OF_JOB_MAX = 8;

export function eventsPage(page) {
  const filter = Object.fromEntries(new URLSearchParams(location.search));
  const { eventLog: log, model } = page;
  const found = log.matching(filter);
  const names = new Map(model.overview.jobs.map((job) => [job.id, job.name]));
  const shown = found.slice(0, ROWS_MAX);
  return html`<section aria-labelledby="events-title">
    <h2 id="events-title">Events <span class="count">${found.length === log.all.length ? plural(found.length, 'event')
      : `${count(found.length)} of ${plural(log.all.length, 'event')}`}</span></h2>
    ${filters(page, filter, names)}
    ${found.length === 0 ? none(log) : html`<div class="panel">${table('Events', HEAD, repeat(shown, (event) => `${event.at} ${event.id} ${event.relay}`,
      (event) => row(event, names, page.now)), { hidden: true, stacks: true })}</div>`}
    ${found.length > shown.length ? html`<p class="more sub">The newest ${count(shown.length)} are shown.</p>` : nothing}
  </section>`;
}

function none(log) {
  return log.all.length === 0 ? empty('Nothing has happened yet', 'Jobs, links and nodes that come and go appear here.')
    : empty('No event matches', 'Another kind, job or text may.');
}

function filters(page, filter, names) {
  const { eventLog: log } = page;
  const change = (name) => (event) => page.filterEvents({ ...filter, [name]: event.target.value });
  const jobs = [...new Set(log.all.map((event) => event.job).filter(Boolean))];
  const option = (value, text, chosen) => html`<option value=${value} .selected=${value === (chosen ?? '')}>${text}</option>`;
  return html`<div class="filters" role="search">
    <label>Kind <select name="kind" @change=${change('kind')}>${option('', 'all', filter.kind)}${log.kinds().map((kind) => option(kind, word(kind), filter.kind))}
    </select></label>
    <label>Job <select name="job" @change=${change('job')}>${option('', 'all', filter.job)}${jobs.map((job) => option(job, names.get(job) ?? job, filter.job))}
    </select></label>
    <label>Text <input type="search" name="text" .value=${filter.text ?? ''} @input=${change('text')}></label>
  </div>`;
}

function row(event, names, now) {
  return html`<tr>
    <td class="time"><time datetime=${new Date(event.at).toISOString()}>${clock(event.at, now)}</time></td>
    <td>${kindBadge(event.kind)}</td>
    <td>${event.relay}</td>
    <td>${event.job ? html`<a href=${jobPath(event.job)}>${names.get(event.job) ?? event.job}</a>` : nothing}</td>
    <td class="num">${event.rank >= 0 ? event.rank : nothing}</td>
    <td class="wrap text">${event.text}</td>
  </tr>`;
}

/** The last restarts of one job, each with its parts as the launcher has measured them, and its last events, for its own view. */
export const eventsOfJob = (page, job) => html`
  ${lastOfJob(page, job, { title: 'Restarts', id: 'job-restarts-title', kind: 'RANK_RECOVERED' })}
  ${lastOfJob(page, job, { title: 'Events', id: 'job-events-title', kind: '' })}`;

function lastOfJob(page, job, { title, id, kind }) {
  const found = page.eventLog.matching({ job: job.id, kind });
  if (found.length === 0) return nothing;
  return html`<section aria-labelledby=${id}>
    <div class="title"><h2 id=${id}>${title}</h2><a href="/events?${kind ? `kind=${kind}&` : ''}job=${job.id}">all ${count(found.length)}</a></div>
    <div class="panel"><ul class="happened">${found.slice(0, OF_JOB_MAX).map((event) => html`<li>
      <time datetime=${new Date(event.at).toISOString()}>${clock(event.at, page.now)}</time> ${kindBadge(event.kind)} <span>${event.text}</span></li>`)}</ul></div>
  </section>`;
}
