// The nodes: agents that are connected to the relays, their slots, and how one is drained.

import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { sum } from '/console/model.js';
import { bytes, count, duration, micros, plural } from '/console/format.js';
import { badge, col, empty, num, table } from '/console/parts.js';
import { relayPath } from '/console/router.js';

const HEAD = [
  col('Node'), col('Relay'), col('State'), num('Free slots', 'slots that no job has reserved, of the processes that it runs at most'),
  num('Jobs', 'jobs that have slots, of the most at once'), num('Ranks', 'ranks of jobs that run on it now'),
  num('Cores'), num('Memory'), num('Round trip', 'between the agent and its relay, as a rule'), col('Labels'), col('Order'),
];

/** All nodes of the relays that are known, with their relay. */
export function nodesOf(overview) {
  return overview.relays.flatMap((relay) => relay.nodes.map((node) => ({ ...node, at: relay })));
}

/** @param nodes as of {@link nodesOf}; @param question asked before a node is drained */
export function nodesSection(model, now, nodes, question) {
  const { overview } = model;
  const draining = nodes.filter((node) => node.state !== 'open').length;
  const ranks = ranksByNode(overview);
  return html`<section aria-labelledby="nodes-title">
    <h2 id="nodes-title">Nodes <span class="count">${nodes.length === 0 ? nothing : html`${plural(nodes.length, 'node')},
      ${count(sum(nodes, (node) => node.free))} of ${plural(sum(nodes, (node) => node.slots), 'slot')} free${draining > 0
        ? `, ${count(draining)} draining` : nothing}`}</span></h2>
    ${nodes.length === 0 ? empty('No node is connected', html`Ranks run beside their launchers. Offer a host with
        <code>posthouse agent</code>, and it appears here.`)
      : html`<div class="panel">${table('Nodes of the relays', HEAD, repeat(nodes, (node) => `${node.at.relay} ${node.agent}`,
          (node) => row(node, ranks && (ranks.get(node.name) ?? 0), overview.silent, now, question)), { hidden: true })}</div>`}
  </section>`;
}

/** Null if ranks do not say where they run. */
function ranksByNode(overview) {
  if (!overview.jobs.some((job) => job.ranks.some((rank) => 'node' in rank))) return null;
  const counts = new Map();
  for (const job of overview.jobs) {
    for (const rank of job.ranks) {
      if (rank.node && rank.state !== 'FINALIZED' && job.state === 'RUNNING') counts.set(rank.node, (counts.get(rank.node) ?? 0) + 1);
    }
  }
  return counts;
}

function row(node, ranks, silent, now, question) {
  const unheard = silent.has(node.at.relay);
  return html`<tr class=${unheard ? 'dim' : ''}>
    <th scope="row">${node.name}<span class="sub">${node.version} · ${duration(now - node.since)}</span></th>
    <td><a href=${relayPath(node.at.relay)}>${node.at.relay}</a></td>
    <td>${badge(unheard ? 'NOT_HEARD' : node.state.toUpperCase())}</td>
    <td class="num">${count(node.free)}<span class="sub">of ${count(node.slots)}</span></td>
    <td class="num">${count(node.jobsNow)}<span class="sub">of ${count(node.jobs)}</span></td>
    <td class="num">${count(ranks)}</td>
    <td class="num">${count(node.cores)}</td>
    <td class="num">${bytes(node.memoryBytes)}</td>
    <td class="num">${micros(node.rttMicros)}</td>
    <td class="wrap">${node.labels.join(', ')}</td>
    <td>${node.at.here === false ? html`<span class="sub">at its own console</span>`
      : !question.mayOrder ? nothing : html`<button type="button" aria-haspopup="dialog" aria-label="${verb(node)} node ${node.name}"
          @click=${(event) => question.ask(event, drainOrder(node))}>${verb(node)}…</button>`}</td>
  </tr>`;
}

function drainOrder(node) {
  const goesOn = node.jobsNow === 0 ? 'No job has slots there.'
    : `${plural(node.jobsNow, 'job')} with slots there ${node.jobsNow === 1 ? 'goes' : 'go'} on.`;
  return {
    kind: 'node',
    title: `${verb(node)} node ${node.name} of relay ${node.at.relay}?`,
    text: isOpen(node) ? `It takes no new job from then on. ${goesOn}` : 'It takes new jobs from then on.',
    keep: `Leave it ${node.state}`,
    verb: verb(node),
    path: '/api/v1/drain-node',
    body: { node: node.name, drain: isOpen(node) },
    refused: (told) => (told.relays.some((report) => report.passed) ? null : `No relay here has a node ${node.name} any more.`),
    look: 'State in the table',
  };
}

function isOpen(node) {
  return node.state === 'open';
}

function verb(node) {
  return isOpen(node) ? 'Drain' : 'Undrain';
}
