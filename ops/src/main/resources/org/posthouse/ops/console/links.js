// Sites and links.

import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { linkKey } from '/console/model.js';
import { bytes, clock, count, duration, micros, plural } from '/console/format.js';
import { badge, col, empty, num, speedCell, table } from '/console/parts.js';
import { siteMap } from '/console/map.js';
import { linkDetail, linkSummary } from '/console/lanes.js';

const HEAD = [
  col('From'), col('To'), col('State'), num('Round trip'),
  num('In/s', 'messages and bytes received per second'), num('Out/s', 'messages and bytes sent per second'),
  num('To confirm', 'bytes that the other end has not acknowledged, and frames written again after a cut'),
];

/** @param opened keys of links whose lanes and streams are shown; @param toggle called with a key to show or hide them */
export function linksSection(model, now, opened, toggle) {
  const { overview } = model;
  const links = linksOf(overview.relays);
  return html`<section aria-labelledby="links-title">
    <h2 id="links-title">Sites and links</h2>
    ${linkNotices(overview.relays, now)}
    ${links.length === 0
      ? empty('One site so far', html`No relay here has a link. Give a second site its certificate with
          <code>posthouse keys</code>, start <code>posthouse relay</code> there, and the link appears here.`)
      : html`<div class="split">
          ${siteMap(overview)}
          <div class="panel">${linksTable(model, overview.relays, now, opened, toggle)}</div>
        </div>`}
  </section>`;
}

function linksOf(relays) {
  return relays.flatMap((relay) => relay.links.map((link) => ({ relay, link, key: linkKey(relay, link) })));
}

/** What is wrong with links, above all tables. */
export function linkNotices(relays, now) {
  const held = linksOf(relays).filter(({ link }) => link.held);
  return html`
    ${relays.flatMap((relay) => relay.links.filter((link) => link.parked).map((link) => cut(relay, link, now)))}
    ${held.map(({ relay, link }) => html`<div class="notice bad"><strong>${relay.relay} → ${link.peerRelay} is held:</strong> ${link.held}</div>`)}`;
}

export function linksTable(model, relays, now, opened, toggle) {
  const rows = repeat(linksOf(relays), ({ key }) => key, ({ relay, link, key }) => html`
    ${row(model, relay, link, now, linkSummary(link, opened.has(key), () => toggle(key)))}
    ${opened.has(key) ? html`<tr class="detail"><td colspan=${HEAD.length}>${linkDetail(model, key, relay, link)}</td></tr>` : nothing}`);
  return table('Links of the relays', HEAD, rows, { hidden: true });
}

/**
 * The messages that wait for a link that is down. The jobs are not at fault, and continue when the link is up again.
 */
function cut(relay, link, now) {
  const { since, reason, lastTry, messages, bytes: kept, jobs } = link.parked;
  return html`<div class="notice">
    <p><strong>${relay.relay} → ${link.peerRelay} is down</strong> since ${clock(since, now)}, for ${duration(now - since)}: ${reason}${
      lastTry ? html`; last try: ${lastTry}` : nothing}.</p>
    ${messages === 0 && jobs.length === 0 ? html`<p>Nothing waits for it.</p>`
      : html`<p>${plural(messages, 'message')}, ${bytes(kept)}, ${messages === 1 ? 'waits' : 'wait'} until it is up again.</p>
        <ul class="parked">${jobs.map((job) => html`<li>${job.name} <span class="code">${job.id}</span>:
          ${plural(job.messages, 'message')}, ${bytes(job.bytes)}; ${plural(job.ranks, 'rank waits', 'ranks wait')}</li>`)}</ul>`}
  </div>`;
}

/** Over which relays it goes, if it does not go straight. */
function route(link) {
  const detours = link.paths.filter((path) => path.length > 0).map((path) => path.join(', '));
  return detours.length === 0 ? nothing : html`<span class="sub">via ${detours.join(' | ')}</span>`;
}

function row(model, relay, link, now, summary) {
  const key = linkKey(relay, link);
  return html`<tr class=${link.state === 'NOT_HEARD' ? 'dim' : ''}>
    <th scope="row">${relay.site}<span class="sub">${relay.relay}</span></th>
    <td>${link.peerSite}<span class="sub">${link.peerRelay}</span></td>
    <td>${badge(link.state)}<span class="sub">for ${duration(now - (link.parked?.since ?? link.since))}</span>${
      link.held ? html`<span class="sub bad-text">held</span>` : nothing}${summary}</td>
    <td class="num">${link.state === 'UP' ? micros(link.roundTripMicros) : '–'}
      ${route(link)}</td>
    ${speedCell(model, key, 'In')}
    ${speedCell(model, key, 'Out')}
    <td class="num">${bytes(link.waitingBytes)}<span class="sub">${count(link.framesRepeated)} repeated</span></td>
  </tr>`;
}
