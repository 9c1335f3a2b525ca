// The nodes: agents that are connected to the relays of this process, and their slots.

import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { sum } from '/console/model.js';
import { bytes, count, micros, plural } from '/console/format.js';
import { badge, col, num, table } from '/console/parts.js';

const HEAD = [
  col('Node'), col('Relay'), col('State'), num('Slots', 'processes that it runs at most'),
  num('Free', 'slots that no job has reserved'), num('Jobs', 'jobs that have slots, of the most at once'),
  num('Cores'), num('Memory'), num('Round trip', 'between the agent and its relay, as a rule'), col('Labels'), col('Version'),
];

/** Nothing as long as no agent has connected: a job's ranks then run beside their launchers. */
export function nodesSection(overview) {
  const nodes = overview.relays.flatMap((relay) => relay.nodes.map((node) => ({ ...node, relay: relay.relay })));
  if (nodes.length === 0) return nothing;
  const draining = nodes.filter((node) => node.state !== 'open').length;
  return html`<section aria-labelledby="nodes-title">
    <h2 id="nodes-title">Nodes <span class="count">${plural(nodes.length, 'node')},
      ${count(sum(nodes, (node) => node.free))} of ${plural(sum(nodes, (node) => node.slots), 'slot')} free${draining > 0
        ? `, ${count(draining)} draining` : nothing}</span></h2>
    <div class="panel">${table('Nodes of the relays here', HEAD,
      repeat(nodes, (node) => `${node.relay} ${node.agent}`, row), { hidden: true })}</div>
  </section>`;
}

function row(node) {
  return html`<tr>
    <th scope="row">${node.name}<span class="sub">${node.host}</span></th>
    <td>${node.relay}</td>
    <td>${badge(node.state.toUpperCase())}</td>
    <td class="num">${count(node.slots)}</td>
    <td class="num">${count(node.free)}</td>
    <td class="num">${count(node.jobsNow)}<span class="sub">of ${count(node.jobs)}</span></td>
    <td class="num">${count(node.cores)}</td>
    <td class="num">${bytes(node.memoryBytes)}</td>
    <td class="num">${micros(node.rttMicros)}</td>
    <td>${node.labels.join(', ')}</td>
    <td>${node.version}</td>
  </tr>`;
}
