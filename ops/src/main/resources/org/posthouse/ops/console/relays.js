// The relays, and the directory: every relay of the group they know of.

import { html, nothing } from 'lit';
import { directory, relayKey } from '/console/model.js';
import { bytes, count, duration, plural } from '/console/format.js';
import { badge, col, empty, num, spark, speedCell, table } from '/console/parts.js';
import { relayPath } from '/console/router.js';

const HEAD = [
  col('Relay'), col('State'), col('Mode'),
  num('In/s', 'messages and bytes accepted per second'), num('Out/s', 'messages and bytes delivered per second'),
  col('Last two minutes'),
  num('Waiting', 'messages that wait for a receive, and receives that wait for a message'),
  num('To write', 'bytes that wait until ranks and launchers read'),
  num('Lag', 'how late a timer of an event loop was at most, and the most pieces of work that waited for one shard, in the last 10'
    + ' to 20 seconds'),
  num('Log', 'bytes of the message log on disk, and how many it may hold'),
];

const DIRECTORY_HEAD = [col('Site'), col('Relay'), col('Address'), col('State'),
  num('Ranks', 'ranks of open jobs that are at home there'), num('Nodes'),
  num('Free', 'slots of its nodes that no job has reserved, of all'), num('Epoch'),
  num('For', 'how long it has been in this state')];

/** Lag past which work that comes waits so long that people notice. */
const LAG_MS_HIGH = 100;

export function relaysSection(model, now, modeChanger) {
  const { relays } = model.overview;
  const here = relays.filter(isHere);
  return html`<section aria-labelledby="relays-title">
    <div class="title"><h2 id="relays-title">Relays</h2>
      ${here.length > 0 ? modeChanger.button(here) : nothing}</div>
    ${modeChanger.outcome()}
    ${relayNotices(relays, now, model.overview.silent)}
    ${relays.length === 0
      ? empty('No relay runs in this process', html`Start one with <code>posthouse relay</code>.`)
      : html`<div class="panel">${table('Relays', HEAD, relays.map((relay) => row(model, relay, now)), { hidden: true })}</div>`}
  </section>`;
}

/** A relay of this process, that takes orders here. */
export const isHere = (relay) => relay.here !== false;

/** What is wrong with relays, above all tables. */
export function relayNotices(relays, now, silent) {
  return html`
    ${relays.filter((relay) => silent.has(relay.relay)).map((relay) => html`<div class="notice"><strong>${relay.relay} has not been
      heard for ${duration(now - silent.get(relay.relay))}.</strong> What it told last is shown; its ranks, links and nodes are not known.</div>`)}
    ${relays.filter((relay) => !relay.ready && !silent.has(relay.relay)).map(notReady)}
    ${relays.filter(logTold).map((relay) => html`<div class="notice bad"><strong>The log of ${relay.relay} is
      ${relay.log.state}:</strong> ${relay.log.text}</div>`)}
    ${relays.filter((relay) => relay.keys?.warnings.length > 0).map(keysWarning)}`;
}

function notReady(relay) {
  return html`<div class="notice bad"><strong>${relay.relay} takes no work:</strong> ${relay.reasons.join('; ')}</div>`;
}

/** Unless it is why the relay is not ready. */
function logTold(relay) {
  return relay.log && relay.log.state !== 'open' && !relay.reasons.some((reason) => reason.includes(relay.log.text));
}

function keysWarning(relay) {
  return html`<div class="notice"><strong>Keys of ${relay.relay}:</strong> ${relay.keys.warnings.join('; ')}</div>`;
}

function row(model, relay, now) {
  const key = relayKey(relay);
  const c = relay.counters;
  return html`<tr class=${model.overview.silent.has(relay.relay) ? 'dim' : ''}>
    <th scope="row"><a href=${relayPath(relay.relay)}>${relay.relay}</a><span class="sub">${relay.site} · ${relay.listenAddress}</span></th>
    <td>${relayBadge(relay, model.overview.silent)}<span class="sub">up for ${duration(now - relay.startedAt)}</span></td>
    <td>${relay.mode}<span class="sub">${relay.version}</span></td>
    ${speedCell(model, key, 'In')}
    ${speedCell(model, key, 'Out')}
    <td>${spark(model.history(`${key} messagesIn`),
      { width: 110, height: 24, label: `Messages into ${relay.relay}` })}</td>
    <td class="num">${count(c.unexpected)}<span class="sub">${plural(c.posted, 'receive')}</span></td>
    <td class="num">${bytes(c.waitingBytes)}</td>
    <td class="num">${lagText(c.lagMillis)}<span class="sub">${count(c.queuedPeak)} queued</span></td>
    <td class="num">${logCell(relay)}</td>
  </tr>`;
}

export function relayBadge(relay, silent) {
  if (silent.has(relay.relay)) return badge('NOT_HEARD');
  return badge(relay.ready ? 'READY' : 'NOT READY', relay.reasons.join('; ') || undefined);
}

/** A relay that reads its log has not told what is in it. */
function logCell(relay) {
  if (!relay.log) return relay.ready ? 'no log' : html`<span title=${relay.reasons.join('; ')}>not known yet</span>`;
  const trouble = relay.log.state === 'open' ? nothing : html`<span class="sub bad-text">${relay.log.state}</span>`;
  return html`${bytes(relay.log.bytes)}<span class="sub">of ${bytes(relay.log.limitBytes)}</span>${trouble}`;
}

export function lagText(ms) {
  const text = ms === 0 ? 'under 1 ms' : `${count(ms)} ms`;
  return ms >= LAG_MS_HIGH ? html`<span class="bad-text">${text}</span>` : text;
}

export function directorySection(overview, now) {
  const known = directory(overview);
  if (known.length === 0) return nothing;
  const silent = known.filter((entry) => !entry.alive).length;
  return html`<section aria-labelledby="directory-title">
    <h2 id="directory-title">Directory <span class="count">${plural(known.length, 'relay')} known${silent > 0
      ? html`, <span class="bad-text">${silent} silent</span>` : nothing}</span></h2>
    <div class="panel">${table('Relays known to the group', DIRECTORY_HEAD, known.map((entry) => html`<tr>
      <th scope="row">${entry.site}</th>
      <td>${entry.relay}</td>
      <td class="code">${entry.address}</td>
      <td>${badge(entry.alive ? 'ALIVE' : 'SILENT')}</td>
      <td class="num">${count(entry.ranks)}</td>
      <td class="num">${count(entry.nodes)}</td>
      <td class="num">${count(entry.free)}<span class="sub">of ${count(entry.slots)}</span></td>
      <td class="num">${entry.epoch}</td>
      <td class="num">${duration(now - entry.since)}</td>
    </tr>`), { hidden: true })}</div>
  </section>`;
}
