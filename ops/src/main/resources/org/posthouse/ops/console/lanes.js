// The lanes of one link, and the streams that it carries beside messages.

import { html, nothing } from 'lit';
import { bytes, count, plural } from '/console/format.js';
import { badge, col, num, table } from '/console/parts.js';

const LANES_HEAD = [
  col('Lane', 'and the relays that it goes over'),
  num('In', 'bytes that came on it since the relay started, and per second'), num('Out', 'bytes that went, and per second'),
  num('To confirm', 'bytes written on it that the other end has not acknowledged'),
];

const STREAMS_HEAD = [
  col('Streams'), num('In', 'bytes that came on streams since the relay started, and per second'), num('Out', 'bytes that went, and per second'),
  num('Tokens', 'outstanding: frames of up to 64 KiB that the other end may still send, and that this relay may'),
];

/** Those of its present session: others it does not need now. */
const lanesOf = (link) => link.perLane.filter((lane) => lane.up || lane.inSession);

/** The numbers of lanes and streams, as the button that shows and hides them. */
export function linkSummary(link, open, toggle) {
  const wanted = lanesOf(link);
  const all = plural(wanted.length, 'lane');
  const up = wanted.filter((lane) => lane.up).length;
  const lanes = up < wanted.length ? `${count(up)} of ${all}` : all;
  return html`<button type="button" class="toggle" aria-expanded=${open ? 'true' : 'false'} @click=${toggle}
    >${lanes}, ${plural(link.streams.open, 'stream')}</button>`;
}

export function linkDetail(model, key, relay, link) {
  const name = `the link from ${relay.relay} to ${link.peerRelay}`;
  const packed = link.packing.bytesBefore > 0
    ? `; ${bytes(link.packing.bytesBefore)} packed to ${bytes(link.packing.bytesAfter)}` : '';
  return html`<p class="link-sum">Since the relay started: in ${plural(link.messagesIn, 'message')}, ${bytes(link.bytesIn)};
      out ${plural(link.messagesOut, 'message')}, ${bytes(link.bytesOut)}${packed}.</p>
    <div class="both">
    ${table(`Lanes of ${name}`, LANES_HEAD, lanesOf(link).map((lane) => laneRow(model, key, lane)), { hidden: true })}
    ${table(`Streams over ${name}`, STREAMS_HEAD, streamsRow(model, key, link.streams), { hidden: true })}
  </div>`;
}

function laneRow(model, key, lane) {
  const way = lane.via.length > 0 ? `via ${lane.via.join(', ')}` : 'straight';
  return html`<tr>
    <th scope="row">${lane.lane} ${badge(lane.up ? 'UP' : 'DOWN')}<span class="sub">${lane.up ? way : nothing}</span></th>
    ${flowCell(model, `${key} lane ${lane.lane} bytesIn`, lane.bytesIn)}
    ${flowCell(model, `${key} lane ${lane.lane} bytesOut`, lane.bytesOut)}
    <td class="num">${bytes(lane.waitingBytes)}</td>
  </tr>`;
}

function streamsRow(model, key, streams) {
  return html`<tr>
    <th scope="row">${count(streams.open)} open</th>
    ${flowCell(model, `${key} streams bytesIn`, streams.bytesIn)}
    ${flowCell(model, `${key} streams bytesOut`, streams.bytesOut)}
    <td class="num">${count(streams.tokensIn)} in<span class="sub">${count(streams.tokensOut)} out</span></td>
  </tr>`;
}

/** Bytes so far and, below, per second. */
function flowCell(model, key, value) {
  const flow = model.perSecond(key);
  return html`<td class="num">${bytes(value)}<span class="sub">${flow == null ? nothing : `${bytes(Math.round(flow))}/s`}</span></td>`;
}
