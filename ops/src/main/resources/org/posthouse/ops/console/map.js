// Sites as boxes on an ellipse, links as lines between them. The table beside it says the same in words.

import { html, svg, nothing } from 'lit';
import { sites, siteLinks } from '/console/model.js';
import { micros, plural, word } from '/console/format.js';
import { tone } from '/console/parts.js';
import { relayPath } from '/console/router.js';

const WIDTH = 460;
const heightOf = (sites) => (sites > 4 ? 340 : 210);
const BOX_WIDTH = 124;
const BOX_HEIGHT = 62;

/** Of more, boxes would cover each other and what is written on links. */
const SITES_MAX = 6;
const NAME_CHARS_MAX = 14;
const FACTS_CHARS_MAX = 19;

export function siteMap(overview) {
  const all = sites(overview);
  const shown = foremost(overview, all);
  const height = heightOf(shown.length);
  const places = place(shown, height);
  const links = siteLinks(overview).filter((link) => link.a !== link.b && places.has(link.a) && places.has(link.b));
  const label = `Map of ${plural(all.length, 'site')} and ${plural(links.length, 'link')}`;
  return html`<figure class="map">
    <svg viewBox="0 0 ${WIDTH} ${height}" role="group" aria-label=${label}>
      ${links.map((link) => edge(link, places))}
      ${shown.map((site) => box(site, places.get(site.name)))}
    </svg>
    ${all.length > shown.length
      ? html`<figcaption>${all.length - shown.length} more sites are in the table</figcaption>` : nothing}
  </figure>`;
}

/** Of many sites those of the relays here, and those that are silent or have a link that is not up, before others. */
function foremost(overview, all) {
  const here = new Set(overview.relays.map((relay) => relay.site));
  const cut = new Set(siteLinks(overview).filter((link) => link.state !== 'UP').flatMap((link) => [link.a, link.b]));
  const order = (site) => (here.has(site.name) ? 0 : site.silent > 0 || cut.has(site.name) ? 1 : 2);
  const chosen = new Set([...all].sort((a, b) => order(a) - order(b)).slice(0, SITES_MAX));
  return all.filter((site) => chosen.has(site));
}

/** Evenly round an ellipse, the first at the left of two or at the top, stretched to use the whole height. */
function place(shown, height) {
  const n = shown.length;
  const angles = shown.map((_, i) => Math.PI + (2 * Math.PI * i) / n + (n > 2 ? Math.PI / 2 : 0));
  const heights = angles.map(Math.sin);
  const [top, low] = [Math.min(...heights), Math.max(...heights)];
  const rx = n === 1 ? 0 : (WIDTH - BOX_WIDTH) / 2 - 4;
  const span = height - BOX_HEIGHT - 8;
  const y = (at) => (n <= 2 ? height / 2 : 4 + BOX_HEIGHT / 2 + ((at - top) / (low - top)) * span);
  return new Map(shown.map((site, i) => [site.name, { x: WIDTH / 2 + rx * Math.cos(angles[i]), y: y(heights[i]) }]));
}

function edge(link, places) {
  const [from, to] = [places.get(link.a), places.get(link.b)];
  const [x, y] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
  const text = link.state === 'UP' ? micros(link.roundTripMicros) : word(link.state);
  return svg`<g class="edge ${tone(link.state)}">
    <line x1=${from.x} y1=${from.y} x2=${to.x} y2=${to.y}></line>
    <rect x=${x - 34} y=${y - 11} width="68" height="22" rx="11"></rect>
    <text x=${x} y=${y + 4}>${text}</text>
  </g>`;
}

/** The label of a site, and a shorter one for the case that the first does not fit. */
function factsOf(site) {
  const relays = plural(site.relays.size, 'relay');
  const ranks = plural(site.ranks, 'rank');
  if (site.relays.size === 0) return ['relay not heard of'];
  if (site.silent > 0) return site.relays.size === 1 ? ['relay silent'] : [`${site.silent} of ${relays} silent`, `${site.silent} silent`];
  return site.ranks > 0 ? [`${relays} · ${ranks}`, ranks] : [relays];
}

function box(site, at) {
  const name = site.name.length > NAME_CHARS_MAX ? `${site.name.slice(0, NAME_CHARS_MAX - 1)}…` : site.name;
  const facts = factsOf(site).find((text) => text.length <= FACTS_CHARS_MAX);
  const drawn = svg`<g class="site ${site.silent > 0 ? 'bad' : ''}">
    <title>${site.name}</title>
    <rect x=${at.x - BOX_WIDTH / 2} y=${at.y - BOX_HEIGHT / 2} width=${BOX_WIDTH} height=${BOX_HEIGHT} rx="7"></rect>
    <text class="name" x=${at.x} y=${at.y - (site.nodes > 0 ? 11 : 3)}>${name}</text>
    <text class="facts" x=${at.x} y=${at.y + (site.nodes > 0 ? 6 : 14)}>${facts}</text>
    ${site.nodes > 0 ? svg`<text class="nodes" x=${at.x} y=${at.y + 22}>${plural(site.nodes, 'node')}</text>` : nothing}
  </g>`;
  return site.relays.size === 1 ? svg`<a href=${relayPath([...site.relays][0])} aria-label="Relay of ${site.name}">${drawn}</a>` : drawn;
}
