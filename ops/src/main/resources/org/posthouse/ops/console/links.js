// Sites and links.

import { html } from 'lit';
import { relayKey } from '/console/model.js';
import { bytes, count, duration, micros, rate } from '/console/format.js';
import { badge, col, empty, num, table } from '/console/parts.js';
import { siteMap } from '/console/map.js';

const HEAD = [
  col('From'), col('To'), col('State'), num('Round trip'),
  num('In/s', 'messages received per second'), num('Out/s', 'messages sent per second'),
  num('Messages in'), num('Messages out'), num('Bytes in'), num('Bytes out'), num('Since'),
];

export function linksSection(model, now) {
  const { overview } = model;
  const rows = overview.relays.flatMap((relay) => relay.links.map((link) => row(model, relay, link, now)));
  return html`<section aria-labelledby="links-title">
    <h2 id="links-title">Sites and links</h2>
    <div class="split">
      ${siteMap(overview)}
      <div class="panel">${rows.length > 0 ? table('Links of the relays here', HEAD, rows, { hidden: true })
        : empty('One site so far', html`This relay has no link. Give a second site its certificate with
            <code>posthouse keys</code>, start <code>posthouse relay</code> there, and the link appears here.`)}</div>
    </div>
  </section>`;
}

function row(model, relay, link, now) {
  const speed = (name) => rate(model.perSecond(`${relayKey(relay)} → ${link.peerSite} ${name}`));
  return html`<tr>
    <th scope="row">${relay.site}<span class="sub">${relay.relay}</span></th>
    <td>${link.peerSite}</td>
    <td>${badge(link.state)}</td>
    <td class="num">${link.state === 'UP' ? micros(link.roundTripMicros) : '–'}</td>
    <td class="num">${speed('messagesIn')}</td>
    <td class="num">${speed('messagesOut')}</td>
    <td class="num">${count(link.messagesIn)}</td>
    <td class="num">${count(link.messagesOut)}</td>
    <td class="num">${bytes(link.bytesIn)}</td>
    <td class="num">${bytes(link.bytesOut)}</td>
    <td class="num">${duration(now - link.since)}</td>
  </tr>`;
}
