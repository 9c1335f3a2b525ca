// The names of the grid: who leads it, what is bound, and what has changed, with a prefix that stands in the address.

import { html, nothing } from 'lit';
import { clock, count, duration, plural } from '/console/format.js';
import { col, empty, facts, num, table } from '/console/parts.js';
import { relayPath } from '/console/router.js';

const HEAD = [col('Name'), num('Version'), num('Epoch', 'The number of the election whose winner wrote it'), col('Record')];
const CHANGES = [col('Time'), col('Change'), col('Name'), num('Version'), num('Epoch'), col('Record')];
const CHANGES_MAX = 100;

/** What is asked for at an address: its prefix, and the name behind which the list goes on. */
export function namesQuery(search) {
  const given = new URLSearchParams(search);
  const asked = new URLSearchParams([...given].filter(([key, value]) => ['prefix', 'after'].includes(key) && value)).toString();
  return asked ? `?${asked}` : '';
}

export function namesPage(page) {
  const { poller } = page;
  const filter = Object.fromEntries(new URLSearchParams(location.search));
  return html`<section aria-labelledby="names-title">
    <h2 id="names-title">Names</h2>
    ${poller.failure ? html`<div class="notice bad" role="status">${poller.failure}</div>` : nothing}
    ${poller.value ? lead(poller.value, page) : nothing}
    <div class="filters" role="search">
      <label>At and below <input type="search" name="prefix" placeholder="all names" .value=${filter.prefix ?? ''}
        @change=${(event) => page.filterNames({ prefix: event.target.value.trim() })}></label>
    </div>
    ${poller.value ? bound(poller.value, filter, page) : poller.failure ? nothing : html`<p class="first-wait">Asking for the names…</p>`}
  </section>
  ${poller.value ? changes(poller.value, page) : nothing}`;
}

function lead(names, page) {
  return html`
    ${names.unavailable ? html`<div class="notice bad" role="status"><strong>No names.</strong> ${names.unavailable}. Jobs and their messages go on.</div>` : nothing}
    ${facts([
      ['Leader', names.leader ? html`<a href=${relayPath(names.leader)}>${names.leader}</a>` : 'no relay is known to lead'],
      ['Elected', names.leader ? `${duration(page.now - names.since)} ago, in election ${count(names.election)}` : '–'],
      ['Seen by', html`<a href=${relayPath(names.relay)}>${names.relay}</a>`],
    ])}`;
}

function bound(names, filter, page) {
  if (names.names.length === 0) {
    return names.unavailable ? nothing : empty(filter.prefix ? 'Nothing is bound there' : 'Nothing is bound',
      'posthouse names bind binds a name, and so does a program that calls publishName.');
  }
  const last = names.names.at(-1).name;
  return html`<div class="panel">${table('Bound names', HEAD, names.names.map((each) => html`<tr>
      <th scope="row" class="code">${each.name}</th>
      <td class="num">${count(each.version)}</td>
      <td class="num">${each.epoch || '–'}</td>
      <td class="wrap text">${each.fields}</td></tr>`), { hidden: true, stacks: true })}</div>
    ${names.more ? html`<p class="more"><button type="button" @click=${() => page.filterNames({ ...filter, after: last })}>Names behind ${last}</button></p>` : nothing}
    ${filter.after ? html`<p class="more"><button type="button" @click=${() => page.filterNames({ prefix: filter.prefix })}>From the first</button></p>` : nothing}`;
}

function changes(names, page) {
  const shown = names.changes.slice(0, CHANGES_MAX);
  return html`<section aria-labelledby="changes-title">
    <h2 id="changes-title">Changes <span class="count">${plural(names.changes.length, 'change')}</span></h2>
    ${shown.length === 0 ? empty('Nothing has changed yet', 'What this relay is told of names since its start appears here.')
    : html`<div class="panel">${table('Changes of names', CHANGES, shown.map((each) => html`<tr>
      <td class="time"><time datetime=${new Date(each.at).toISOString()}>${clock(each.at, page.now)}</time></td>
      <td>${each.bound ? 'bound' : 'unbound'}</td>
      <td class="code">${each.name}</td>
      <td class="num">${count(each.version)}</td>
      <td class="num">${each.epoch || '–'}</td>
      <td class="wrap text">${each.fields}</td></tr>`), { hidden: true, stacks: true })}</div>`}
  </section>`;
}
