// One job: how its ranks stand, and the orders that end it or ask for a checkpoint. Its other views have tabs.

import { html, nothing } from 'lit';
import { isLive, sum } from '/console/model.js';
import { bytes, clock, count, duration, plural } from '/console/format.js';
import { badge, col, crumbs, facts, jobBadge, missing, num, table } from '/console/parts.js';
import { jobFacts, jobSpeed, jobTroubles, rankGrid, shownJob } from '/console/jobs.js';
import { jobPath, relayPath } from '/console/router.js';

const HEAD = [
  num('Rank'), col('Home', 'its home relay, and the site'), col('Node', 'that runs it; empty: beside its launcher'), col('State'),
  num('Incarnation', 'the number of its process among all of this rank'),
  num('Sent', 'messages and bytes'), num('Delivered', 'messages and bytes'),
  num('Waiting', 'messages that wait for a receive, and receives that wait for a message'),
  num('Last delivery', 'how long ago the last message was delivered to it'),
  num('Checkpoint', 'how long ago it took its last one, since its relay started'),
  col('Blocked in', 'the call that it has been inside for seconds'),
];

const OUTPUT = '/api/v1/jobs/{id}/output';

const VIEWS = [['job', 'Ranks', null], ['matrix', 'Matrix', '/api/v1/jobs/{id}/matrix'],
  ['timeline', 'Timeline', '/api/v1/jobs/{id}/timeline'], ['waits', 'Waits', '/api/v1/jobs/{id}/waits'],
  ['output', 'Output', OUTPUT]];

const ROWS_MAX = 64;

/** The frame of all views of a job. @param content given the job, what the view shows of it */
export function jobFrame(page, content) {
  const found = page.model.overview.jobs.find((job) => job.id === page.view.id);
  if (!found) {
    return missing(`No relay here knows job ${page.view.id}`,
      'It may have ended some time ago, or its relay may not have been heard yet.');
  }
  const job = shownJob(found);
  const tabs = VIEWS.filter(([, , path]) => path == null || page.paths.has(path));
  return html`
    ${crumbs(['Grid', '/'], [job.name])}
    <div class="headline"><h2>${job.name} ${jobBadge(job)}</h2><div class="actions">${orders(page, job)}</div></div>
    <div class="panel job"><header>
      ${jobFacts(job, page.now)}
      ${jobTroubles(job, page.now)}
      ${isLive(job) ? jobSpeed(page.model, job) : nothing}
    </header></div>
    ${tabs.length < 2 ? nothing : html`<nav class="tabs" aria-label="Views of the job">${tabs.map(([name, text]) => html`
      <a href=${jobPath(job.id, name)} aria-current=${page.view.name === name ? 'page' : nothing}>${text}</a>`)}</nav>`}
    ${content(job)}`;
}

export function jobPage(page) {
  return jobFrame(page, (job) => html`
    ${askedNotice(page, job)}
    <section aria-labelledby="ranks-title"><h2 id="ranks-title">Ranks <span class="count">${traffic(page.model.overview, job)}</span></h2>
      <div class="panel">${rankGrid(job)}</div>
      <div class="panel">${ranksTable(page, job)}</div></section>
    ${isLive(job) ? html`<section aria-labelledby="speed-title"><h2 id="speed-title">Messages sent</h2>
      <div class="panel pad chart"><rate-chart .lines=${{ title: `Messages sent by ${job.name}`, unit: 'messages', series: [
        { label: 'sent', token: 'accent', history: page.model.history(`job ${job.id}`) }] }}></rate-chart></div></section>` : nothing}
    ${about(job, page.now)}
    ${page.eventsOf ? page.eventsOf(job) : nothing}`);
}

function traffic(overview, job) {
  const known = job.ranks.filter((rank) => hasCounted(overview, rank));
  const where = known.length < job.ranks.length ? ' at the relays that are known' : '';
  return `${count(sum(known, (rank) => rank.messagesSent))} messages sent, ${count(sum(known, (rank) => rank.messagesDelivered))} delivered${where}`;
}

/** Only its home relay counts what a rank does. */
function hasCounted(overview, rank) {
  return overview.relays.some((relay) => relay.relay === rank.relay);
}

function ranksTable(page, job) {
  const whole = page.wholeJobs.has(job.id);
  const rows = whole ? job.ranks : job.ranks.slice(0, ROWS_MAX);
  return html`${table(`Ranks of ${job.name}`, HEAD, rows.map((rank) => rankRow(rank, page, isLive(job))), { hidden: true })}
    ${rows.length < job.ranks.length ? html`<button type="button" class="inside" @click=${() => page.showWhole(job.id)}
      >Show all ${count(job.ranks.length)} ranks</button>` : nothing}`;
}

function rankRow(rank, page, live) {
  const { model, now } = page;
  const known = hasCounted(model.overview, rank);
  const cellOf = (figure, sub) => html`<td class="num">${known ? figure : '–'}${known ? html`<span class="sub">${sub}</span>` : nothing}</td>`;
  const tone = rank.state === 'LOST' ? 'trouble' : rank.state === 'NOT_HEARD' ? 'dim' : '';
  return html`<tr class=${tone}>
    <th scope="row" class="num">${page.paths.has(OUTPUT)
    ? html`<a href=${`${jobPath(page.view.id, 'output')}?rank=${rank.rank}`} title="what it has printed">${rank.rank}</a>` : rank.rank}</th>
    <td>${known ? html`<a href=${relayPath(rank.relay)}>${rank.relay}</a>` : rank.relay}<span class="sub">${rank.site}</span></td>
    <td>${rank.node || nothing}</td>
    <td>${badge(rank.state)}${rank.notHeardSince ? html`<span class="sub">for ${duration(now - rank.notHeardSince)}</span>` : nothing}
      ${(rank.followers ?? []).map(follower)}</td>
    <td class="num">${rank.incarnation}</td>
    ${cellOf(count(rank.messagesSent), bytes(rank.bytesSent))}
    ${cellOf(count(rank.messagesDelivered), bytes(rank.bytesDelivered))}
    ${cellOf(count(rank.unexpected), `${count(rank.posted)} posted`)}
    <td class="num">${rank.lastDeliveryAt > 0 && live ? `${duration(now - rank.lastDeliveryAt)} ago` : '–'}</td>
    <td class="num">${rank.lastCheckpointAt > 0 ? `${duration(now - rank.lastCheckpointAt)} ago` : '–'}</td>
    <td class="wrap">${rank.blockedIn && live ? html`${rank.blockedIn}<span class="sub">for ${duration(now - rank.blockedSince)}</span>` : nothing}</td>
  </tr>`;
}

/** A process that follows the rank. A relay of an earlier version tells none. */
function follower({ process, node, behind, bytesBehind }) {
  return html`<span class="sub" title=${`${bytes(bytesBehind)} of the log behind`}>follower ${process}${node ? ` on ${node}` : nothing}${behind > 0
    ? `, ${count(behind)} behind` : nothing}</span>`;
}

function about(job, now) {
  const restarts = sum(job.ranks, (rank) => Math.max(0, rank.incarnation - 1));
  const followers = sum(job.ranks, (rank) => rank.followers?.length ?? 0);
  return html`<section aria-labelledby="about-title"><h2 id="about-title">About</h2><div class="panel pad">${facts([
    ['Started', clock(job.startedAt, now), `${duration(now - job.startedAt)} ago`],
    ['Owner', job.owner || '–'],
    ['Restarts', count(restarts), 'of its ranks, and other leaders'],
    ...(followers > 0 ? [['Followers', count(followers), 'processes beside the leaders']] : []),
    ['Durability', job.durability],
    ['On failure', job.onFailure, deaths(job)],
    ['Log reserved', bytes(job.reservedBytes), 'for what its ranks may have under way'],
    ['Log pinned', bytes(job.pinnedBytes), 'from the oldest record that a rank needs'],
  ])}</div></section>`;
}

function orders(page, job) {
  if (!isLive(job) || !page.question.mayOrder) return nothing;
  const checkpoint = page.paths.has('/api/v1/checkpoint') && job.durability !== 'none';
  return html`
    ${checkpoint ? html`<button type="button" aria-haspopup="dialog" @click=${(event) => page.question.ask(event, checkpointOrder(job, page))}
      >Checkpoint…</button>` : nothing}
    <button type="button" class="danger" aria-haspopup="dialog" @click=${(event) => page.question.ask(event, endOrder(job))}>End job…</button>`;
}

/** The ranks whose death the program was told of. */
function deaths(job) {
  const dead = job.ranks.filter((rank) => rank.state === 'LOST').length;
  return /blank|shrink/.test(job.onFailure) && dead > 0 ? `the program goes on without ${plural(dead, 'rank')}` : undefined;
}

function endOrder(job) {
  return {
    kind: 'end',
    title: `End job ${job.name}?`,
    text: `All its ${count(job.size)} ranks are aborted at once, and what it has not written is lost. Job ${job.id} cannot be resumed afterwards.`,
    keep: 'Let it run',
    verb: 'End the job',
    path: '/api/v1/end-job',
    body: { job: job.id },
    refused: (told) => (told.relays.some((report) => report.ended) ? null : 'No relay here has the job open any more.'),
    look: 'its state on this page',
  };
}

function checkpointOrder(job, page) {
  return {
    kind: 'checkpoint',
    title: `Ask the ranks of ${job.name} for a checkpoint now?`,
    text: 'Each rank writes one at its next call that allows it. The job goes on; the log needs less room afterwards.',
    keep: 'Not now',
    verb: 'Ask for it',
    path: '/api/v1/checkpoint',
    body: { job: job.id },
    refused: (told) => (told.relays.some((report) => report.asked > 0) ? null
      : `No rank could be asked. ${told.relays.map(unasked).join(' ')}`),
    look: 'the events of the job',
    done: (told) => page.askedFor.set(job.id, { at: page.model.now(Date.now()), relays: told.relays }),
  };
}

function unasked({ relay, why, unable }) {
  return `Relay ${relay}: ${why || `ranks ${unable.join(', ')} are not connected, or have no checkpoints.`}`;
}

/** What came of the order for checkpoints. */
function askedNotice(page, job) {
  const order = page.askedFor.get(job.id);
  if (!order) return nothing;
  const saved = new Set(page.eventLog.matching({ kind: 'CHECKPOINT', job: job.id }).filter((event) => event.at >= order.at).map((event) => event.rank));
  const lacking = order.relays.filter((report) => report.why || report.unable.length > 0);
  return html`<p class="notice" role="status">${plural(sum(order.relays, (report) => report.asked), 'rank')} asked for a checkpoint at
    ${clock(order.at, page.now)}: ${count(saved.size)} ${saved.size === 1 ? 'has' : 'have'} one since. ${lacking.map(unasked).join(' ')}</p>`;
}
