// The whole grid: what flows, what is wrong, its jobs, sites, links and relays.

import { html, nothing } from 'lit';
import { isLive, liveRanks, siteLinks, sites, standing } from '/console/model.js';
import { bytes, bytesParts, count, duration, plural, rate } from '/console/format.js';
import { spark } from '/console/parts.js';
import { jobsSection } from '/console/jobs.js';
import { linksSection } from '/console/links.js';
import { directorySection, relaysSection } from '/console/relays.js';

export function gridPage(page) {
  const { model, now } = page;
  return html`<h2 class="visually-hidden">Grid</h2>
    ${summary(model, now)}
    ${jobsSection(model, now, page.allEnded, page.showEnded)}
    ${linksSection(model, now, page.openedLinks, page.toggleLink)}
    ${relaysSection(model, now, page.modeChanger)}
    ${directorySection(model.overview, now)}`;
}

/** What a person should act on, in few words; empty if nothing. For the page's title. */
export function alarm(overview) {
  const jobs = overview.jobs.filter(isLive);
  const lost = liveRanks(overview).filter((rank) => rank.state === 'LOST').length;
  const still = jobs.filter((job) => job.standsStillSince > 0).length;
  const notHeard = jobs.reduce((total, job) => total + standing(job).notHeard, 0);
  if (lost > 0) return `${lost} lost`;
  if (still > 0) return `${plural(still, 'job')} still`;
  return notHeard > 0 ? `${notHeard} not heard` : '';
}

function summary(model, now) {
  const { overview } = model;
  const ranks = liveRanks(overview);
  const connected = ranks.filter((rank) => rank.state === 'CONNECTED').length;
  const links = siteLinks(overview);
  const up = links.filter((link) => link.state === 'UP').length;
  const [speed, unit] = bytesParts(roundOrNull(model.perSecond('bytes')));
  return html`<dl class="summary">
    ${tile('Messages per second', rate(model.perSecond('messages')), '', spark(model.history('messages'),
      { width: 200, height: 34, label: 'Messages accepted from ranks' }))}
    ${tile('Bytes per second', speed, unit, spark(model.history('bytes'),
      { width: 200, height: 34, label: 'Bytes accepted from ranks', write: (n) => bytes(Math.round(n)) }))}
    ${tile('Ranks connected', count(connected), ranks.length > 0 ? `of ${count(ranks.length)}` : '', ranksFoot(overview, ranks, now))}
    ${tile('Links up', count(up), links.length > 0 ? `of ${count(links.length)}` : '',
      links.length > up ? html`<span class="bad-text">${plural(links.length - up, 'link')} not up</span>`
        : plural(sites(overview).length, 'site'))}
  </dl>`;
}

function ranksFoot(overview, ranks, now) {
  const lost = ranks.filter((rank) => rank.state === 'LOST').length;
  const silent = ranks.filter((rank) => rank.state === 'NOT_HEARD');
  const still = overview.jobs.filter((job) => isLive(job) && job.standsStillSince > 0).length;
  const told = [];
  if (lost > 0) told.push(`${count(lost)} lost`);
  if (silent.length > 0) told.push(`${count(silent.length)} not heard for ${duration(now - Math.min(...silent.map((rank) => rank.notHeardSince)))}`);
  if (still > 0) told.push(`${plural(still, 'job')} ${still === 1 ? 'stands' : 'stand'} still`);
  if (told.length > 0) return html`<span class="bad-text">${told.join(', ')}</span>`;
  return ranks.length > 0 ? 'none lost' : overview.relays.some((relay) => !relay.ready) ? nothing : 'no job runs';
}

function tile(name, figure, unit, foot) {
  return html`<div class="tile"><dt>${name}</dt>
    <dd><span class="figure">${figure}</span> <span class="unit">${unit}</span>
      <span class="foot">${foot}</span></dd></div>`;
}

function roundOrNull(value) {
  return value == null ? null : Math.round(value);
}
