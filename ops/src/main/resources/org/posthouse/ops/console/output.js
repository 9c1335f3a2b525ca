// The newest lines that the ranks of a job have printed, with a filter that stands in the address.

import { html, nothing } from 'lit';
import { clock, count, plural } from '/console/format.js';
import { empty } from '/console/parts.js';
import { jobFrame } from '/console/job.js';
import { missingRelays, pending } from '/console/matrix.js';
import { takeSecret } from '/console/orders.js';

const LINES = 500;
const COLOURS = 8;

/** Less than a line: the reader is at the end. */
const END_PX = 12;

const UNAUTHORIZED = 401;

/** @param query of the page's address */
export function outputQuery(query) {
  const asked = new URLSearchParams({ lines: LINES });
  for (const [name, value] of new URLSearchParams(query)) if (value && (name === 'rank' || name === 'search')) asked.set(name, value);
  return `?${asked}`;
}

export function outputPage(page) {
  return jobFrame(page, (job) => {
    const filter = Object.fromEntries(new URLSearchParams(location.search));
    const { value } = page.poller;
    return html`<section aria-labelledby="output-title">
      <h2 id="output-title">Output <span class="count">${value ? plural(value.lines.length, 'line') : nothing}</span></h2>
      ${filters(page, job, filter)}
      ${page.poller.status === UNAUTHORIZED ? proof(page) : pending(page)}
      ${value ? shown(page, value, filter) : nothing}</section>`;
  });
}

function filters(page, job, filter) {
  const change = (name) => (event) => page.filterOutput(job.id, { ...filter, [name]: event.target.value });
  return html`<div class="filters" role="search">
    <label>Rank <input type="number" name="rank" min="0" max=${job.size - 1} placeholder="all" .value=${filter.rank ?? ''} @input=${change('rank')}></label>
    <label>Text <input type="search" name="search" maxlength="80" .value=${filter.search ?? ''} @input=${change('search')}></label>
    <label><input type="checkbox" name="follow" .checked=${page.follow} @change=${(event) => page.followOutput(event.target.checked)}> Follow</label>
  </div>`;
}

function proof(page) {
  const show = (event) => {
    event.preventDefault();
    takeSecret(event.target);
    page.poller.again();
  };
  return html`<div class="notice bad">${page.poller.failure}</div>
    <form class="filters proof" @submit=${show}>
      <label>The relay's secret (the file ops-token in its data folder) <input type="password" name="secret" autocomplete="off" required></label>
      <button type="submit">Show the output</button></form>`;
}

function shown(page, value, filter) {
  const before = value.older + value.dropped;
  if (value.lines.length === 0) {
    return html`${missingRelays(value.missing)}${filter.search || filter.rank ? empty('No line matches', 'Another rank or text may.')
      : empty('No line has come', 'The job has printed none yet, or was started with --no-output-tail.')}`;
  }
  const scrolled = ({ target }) => {
    const atEnd = target.scrollHeight - target.scrollTop - target.clientHeight < END_PX;
    if (atEnd !== page.follow) page.followOutput(atEnd);
  };
  return html`${missingRelays(value.missing)}
    ${before > 0 ? html`<p class="more sub">${count(before)} earlier lines are not shown: relays keep the newest of each rank.</p>` : nothing}
    <div class="panel"><div class="output" tabindex="0" role="region" aria-label="Lines, the newest last" @scroll=${scrolled}>
      ${value.lines.map((line) => row(line, page.now, filter.search ?? ''))}</div></div>`;
}

function row({ at, rank, stream, text }, now, search) {
  return html`<div class="printed ${stream}"><time datetime=${new Date(at).toISOString()}>${clock(at, now)}</time>
    <span class="rank c${rank % COLOURS}">${rank}${stream === 'err' ? html` <abbr title="standard error">err</abbr>` : nothing}</span>
    <span class="text">${marked(text, search)}</span></div>`;
}

/** Each place of the text that is searched for. */
function marked(text, search) {
  if (!search) return text;
  const [small, wanted] = [text.toLowerCase(), search.toLowerCase()];
  if (small.length !== text.length) return text; // Some letters have a longer small form.
  const parts = [];
  let from = 0;
  for (let at = small.indexOf(wanted); at >= 0; at = small.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), html`<mark>${text.slice(at, at + wanted.length)}</mark>`);
    from = at + wanted.length;
  }
  return [...parts, text.slice(from)];
}

/** Called after each drawing. */
export function outputDrawn(root, follow) {
  const lines = root.querySelector('.output');
  if (lines && follow) lines.scrollTop = lines.scrollHeight;
}
