// The relays of this process, and the directory: every relay of the group they know of.

import { html, nothing } from 'lit';
import { directory, relayKey } from '/console/model.js';
import { bytes, count, duration, plural } from '/console/format.js';
import { badge, col, empty, num, spark, speedCell, table } from '/console/parts.js';

const HEAD = [
  col('Relay'), col('State'), col('Mode'), num('Up for'),
  num('In/s', 'messages and bytes accepted per second'), num('Out/s', 'messages and bytes delivered per second'),
  col('Last two minutes'), num('Matched', 'receives matched with a message'),
  num('Waiting', 'messages that wait for a receive, and receives that wait for a message'),
  num('Credit', 'bytes and messages of credit handed out and not used yet'),
  num('To write', 'bytes that wait until ranks and launchers read'),
  num('Lag', 'how late a timer of an event loop was at most, and the most pieces of work that waited for one shard, in the last 10'
    + ' to 20 seconds'),
  num('Log', 'bytes of the message log on disk'),
];

const DIRECTORY_HEAD = [col('Site'), col('Relay'), col('Address'), col('State'),
  num('Ranks', 'ranks of open jobs that are at home there'), num('Nodes'),
  num('Free', 'slots of its nodes that no job has reserved, of all'), num('Epoch'),
  num('For', 'how long it has been in this state')];

/** Lag past which work that comes waits so long that people notice. */
const LAG_MS_HIGH = 100;

export function relaysSection(model, now, modeChanger) {
  const { relays } = model.overview;
  return html`<section aria-labelledby="relays-title">
    <div class="title"><h2 id="relays-title">Relays here</h2>
      ${relays.length > 0 ? modeChanger.button(relays) : nothing}</div>
    ${modeChanger.outcome()}
    ${relays.filter((relay) => !relay.ready).map(notReady)}
    ${relays.filter(logTold).map((relay) => html`<div class="notice bad"><strong>The log of ${relay.relay} is
      ${relay.log.state}:</strong> ${relay.log.text}</div>`)}
    ${relays.filter((relay) => relay.keys?.warnings.length > 0).map(keysWarning)}
    ${relays.length === 0
      ? empty('No relay runs in this process', html`Start one with <code>posthouse relay</code>.`)
      : html`<div class="panel">${table('Relays of this process', HEAD,
          relays.map((relay) => row(model, relay, now)), { hidden: true })}</div>`}
  </section>`;
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
  return html`<tr>
    <th scope="row">${relay.relay}<span class="sub">${relay.site} · ${relay.listenAddress}</span></th>
    <td>${badge(relay.ready ? 'READY' : 'NOT READY', relay.reasons.join('; ') || undefined)}</td>
    <td>${relay.mode}<span class="sub">${relay.version}</span></td>
    <td class="num">${duration(now - relay.startedAt)}</td>
    ${speedCell(model, key, 'In')}
    ${speedCell(model, key, 'Out')}
    <td>${spark(model.history(`${key} messagesIn`),
      { width: 110, height: 24, label: `Messages into ${relay.relay}` })}</td>
    <td class="num">${count(c.matched)}</td>
    <td class="num">${count(c.unexpected)}<span class="sub">${plural(c.posted, 'receive')}</span></td>
    <td class="num">${bytes(c.creditOutstanding)}<span class="sub">${plural(c.creditMessages, 'message')}</span></td>
    <td class="num">${bytes(c.waitingBytes)}</td>
    <td class="num">${c.lagMillis >= LAG_MS_HIGH ? html`<span class="bad-text">${lag(c.lagMillis)}</span>`
      : lag(c.lagMillis)}<span class="sub">${count(c.queuedPeak)} queued</span></td>
    <td class="num">${relay.log ? bytes(relay.log.bytes) : 'no log'}${relay.log
      ? html`<span class="sub">at ${count(relay.log.position)}</span>${logTrouble(relay.log)}` : nothing}</td>
  </tr>`;
}

function logTrouble(log) {
  return log.state === 'open' ? nothing : html`<span class="sub bad-text">${log.state}</span>`;
}

function lag(ms) {
  return ms === 0 ? 'under 1 ms' : `${count(ms)} ms`;
}

export function directorySection(overview, now) {
  const known = directory(overview);
  if (known.length === 0) return nothing;
  const silent = known.filter((entry) => !entry.alive).length;
  return html`<section aria-labelledby="directory-title">
    <h2 id="directory-title">Directory <span class="count">${plural(known.length, 'relay')} known${silent > 0
      ? html`, <span class="bad-text">${silent} silent</span>` : nothing}</span></h2>
    <div class="panel narrow">${table('Relays known to the group', DIRECTORY_HEAD, known.map((entry) => html`<tr>
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
