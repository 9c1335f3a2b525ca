// One relay: how it stands, what it carries, and how much of its bounds is used.

import { html, nothing } from 'lit';
import { isLive, relayKey } from '/console/model.js';
import { bytes, bytesParts, clock, count, duration, plural, rate } from '/console/format.js';
import { badge, col, crumbs, facts, gauge, missing, num, spark, table } from '/console/parts.js';
import { isHere, lagText, relayBadge, relayNotices } from '/console/relays.js';
import { linkNotices, linksTable } from '/console/links.js';
import { nodesOf, nodesSection } from '/console/nodes.js';
import { jobPath } from '/console/router.js';

const JOBS_HEAD = [col('Job'), col('State'), num('Ranks here'), num('Pins', 'bytes of the log from the oldest record that one of its ranks needs'),
  num('Reserved', 'room in the log for what its ranks may have under way')];

export function relayPage(page) {
  const { model, now } = page;
  const relay = model.overview.relays.find((one) => one.relay === page.view.id);
  if (!relay) return unknownRelay(model.overview, page.view.id, now);
  const here = [relay];
  const nodes = nodesOf(model.overview).filter((node) => node.at === relay);
  return html`
    ${crumbs(['Grid', '/'], [relay.relay])}
    <div class="headline"><h2>Relay ${relay.relay} ${relayBadge(relay, model.overview.silent)}</h2>
      <div class="actions">${isHere(relay) ? html`${page.modeChanger.button(model.overview.relays.filter(isHere))}${drainButton(relay, page)}` : nothing}</div>
    </div>
    ${page.modeChanger.outcome()}
    ${relayNotices(here, now, model.overview.silent)}
    ${linkNotices(here, now)}
    ${about(relay, now)}
    ${flow(model, relay)}
    ${bounds(relay)}
    ${jobsOf(model.overview, relay)}
    ${relay.links.length === 0 ? nothing : html`<section><h2>Links <span class="count">${plural(relay.links.length, 'link')}</span></h2>
      <div class="panel">${linksTable(model, here, now, page.openedLinks, page.toggleLink)}</div></section>`}
    ${nodes.length === 0 ? nothing : nodesSection(model, now, nodes, page.question)}`;
}

/** One of the group that no relay here has a link to, or none at all. */
function unknownRelay(overview, id, now) {
  const entry = overview.relays.flatMap((relay) => relay.directory).find((known) => known.relay === id);
  if (!entry) return missing(`No relay ${id} is known here`, 'It may have been stopped for more than six hours, or have another name.');
  return html`${crumbs(['Grid', '/'], [id])}
    <div class="headline"><h2>Relay ${id} ${badge(entry.alive ? 'ALIVE' : 'SILENT')}</h2></div>
    <p class="lead">The relays here know it by the group's directory alone: it is at ${entry.address}, with ${plural(entry.ranks, 'rank')} of open
      jobs and ${plural(entry.nodes, 'node')}, in this state for ${duration(now - entry.since)}. Its own console has the rest.</p>`;
}

function about(relay, now) {
  const { keys, streams } = relay;
  return html`<div class="panel pad">${facts([
    ['Site', relay.site],
    ['Mode', relay.mode],
    ['Up for', duration(now - relay.startedAt), `since ${clock(relay.startedAt, now)}`],
    ['Ranks and agents connect to', html`<span class="code">${relay.listenAddress}</span>`],
    ['Version', relay.version],
    relay.asOf && !isHere(relay) && ['Heard', `${duration(now - relay.asOf)} ago`, 'its own process is another'],
    streams && ['Gateway', streams.drained ? 'drained' : 'open', `${plural(streams.carried, 'lane')} of other relays go through it`],
    streams && ['Streams', `${count(streams.open)} open`, `${count(streams.opened)} so far, ${count(streams.refused)} refused`],
    relay.counters.detectors?.questions > 0 && silentNodes(relay.counters.detectors),
    keys && ['Certificate', `until ${new Date(keys.notAfter).toLocaleDateString()}`, `serial ${keys.serial}`],
  ])}</div>`;
}

/** What its checks of nodes that others found silent came to. */
function silentNodes(detectors) {
  return ['Silent nodes', `${plural(detectors.questions, 'check')}, ${count(detectors.dead)} dead`,
    `${count(detectors.living)} answered; ${count(detectors.returned)} came back after the verdict`];
}

function flow(model, relay) {
  const key = relayKey(relay);
  const c = relay.counters;
  const speed = (direction) => model.perSecond(`${key} bytes${direction}`);
  const tile = (name, direction, total) => {
    const [flowing, unit] = bytesParts(speed(direction) == null ? null : Math.round(speed(direction)));
    return html`<div class="tile"><dt>${name}</dt><dd><span class="figure">${rate(model.perSecond(`${key} messages${direction}`))}</span>
      <span class="unit">messages/s, ${flowing} ${unit}/s</span>
      <span class="foot">${spark(model.history(`${key} messages${direction}`), { width: 200, height: 34, label: `${name}, messages` })}</span>
      <span class="foot-line">${count(total)} since its start</span></dd></div>`;
  };
  return html`<section aria-labelledby="flow-title"><h2 id="flow-title">Traffic</h2>
    <dl class="summary">
      ${tile('In', 'In', c.messagesIn)}
      ${tile('Out', 'Out', c.messagesOut)}
      ${plainTile('Lag', lagText(c.lagMillis), `${count(c.queuedPeak)} queued at most`)}
      ${plainTile('Waiting', count(c.unexpected), `messages; ${plural(c.posted, 'receive')}; ${count(c.matched)} matched`)}
    </dl>
    <div class="panel pad chart"><rate-chart .lines=${{ title: `Messages of ${relay.relay}`, unit: 'messages', series: [
      { label: 'in', token: 'accent', history: model.history(`${key} messagesIn`) },
      { label: 'out', token: 'focus', history: model.history(`${key} messagesOut`) }] }}></rate-chart></div></section>`;
}

function plainTile(name, figure, foot) {
  return html`<div class="tile"><dt>${name}</dt><dd><span class="figure">${figure}</span><span class="unit"></span><span class="foot">${foot}</span></dd></div>`;
}

function bounds(relay) {
  const { counters: c, log, streams } = relay;
  const pinned = log && log.pinnedBytes > 0 ? `${bytes(log.pinnedBytes)} pinned` : 'nothing pinned';
  return html`<section aria-labelledby="bounds-title"><h2 id="bounds-title">Memory and log</h2>
    <div class="panel pad bounds">
      ${log ? gauge('Log', log.bytes, log.limitBytes, { marked: log.pinnedBytes, markedText: pinned }) : nothing}
      ${streams ? gauge('Stream buffers', streams.buffersUsed, streams.buffers, { write: count }) : nothing}
      ${facts([
        ['Credit', bytes(c.creditOutstanding), `${plural(c.creditMessages, 'message')}, handed out and not used yet`],
        ['To write', bytes(c.waitingBytes), 'until ranks and launchers read'],
        log && ['Log position', count(log.position), 'records since it was made'],
      ])}
      ${log && log.text ? html`<p class="sub">${log.text}</p>` : nothing}
      ${log || relay.ready ? nothing : html`<p class="sub">Its log is not known yet: ${relay.reasons.join('; ')}.</p>`}
      ${!log && relay.ready ? html`<p class="sub">It keeps no log: its jobs do not survive it.</p>` : nothing}
    </div></section>`;
}

/** Those that pin most of the log first. */
function jobsOf(overview, relay) {
  const jobs = overview.jobs.filter((job) => isLive(job) && job.ranks.some((rank) => rank.relay === relay.relay))
    .sort((a, b) => (b.pinnedBytes ?? 0) - (a.pinnedBytes ?? 0));
  if (jobs.length === 0) return nothing;
  return html`<section aria-labelledby="relay-jobs-title"><h2 id="relay-jobs-title">Jobs with ranks here</h2>
    <div class="panel">${table('Jobs with ranks here', JOBS_HEAD, jobs.map((job) => html`<tr>
      <th scope="row"><a href=${jobPath(job.id)}>${job.name}</a><span class="sub code">${job.id}</span></th>
      <td>${badge(job.standsStillSince > 0 ? 'STANDS STILL' : job.state)}</td>
      <td class="num">${count(job.ranks.filter((rank) => rank.relay === relay.relay).length)}<span class="sub">of ${count(job.size)}</span></td>
      <td class="num">${bytes(job.pinnedBytes)}</td>
      <td class="num">${bytes(job.reservedBytes)}</td>
    </tr>`), { hidden: true })}</div></section>`;
}

function drainButton(relay, page) {
  if (!relay.streams || !page.question.mayOrder) return nothing;
  const drained = relay.streams.drained;
  return html`<button type="button" aria-haspopup="dialog" @click=${(event) => page.question.ask(event, {
    kind: 'drain',
    title: drained ? 'Let lanes come through this process again?' : 'Drain the gateways of this process?',
    text: drained ? 'Other relays may send lanes through its relays from then on.'
      : `Lanes of other relays go another way from then on; ${plural(relay.streams.carried, 'lane')} go through it now. Its own ranks and links stay.`,
    keep: drained ? 'Leave it drained' : 'Leave it open',
    verb: drained ? 'Undrain' : 'Drain',
    path: '/api/v1/drain',
    body: { drain: !drained },
    refused: () => null,
    look: 'Gateway on this page',
  })}>${drained ? 'Undrain' : 'Drain'} gateway…</button>`;
}
