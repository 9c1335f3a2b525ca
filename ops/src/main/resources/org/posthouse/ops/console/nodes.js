// The nodes: agents that are connected to the relays of this process, their slots, and how one is drained.

import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { sum } from '/console/model.js';
import { bytes, count, micros, plural } from '/console/format.js';
import { badge, col, num, table } from '/console/parts.js';
import { give, takeSecret } from '/console/orders.js';

const HEAD = [
  col('Node'), col('Relay'), col('State'), num('Slots', 'processes that it runs at most'),
  num('Free', 'slots that no job has reserved'), num('Jobs', 'jobs that have slots, of the most at once'),
  num('Cores'), num('Memory'), num('Round trip', 'between the agent and its relay, as a rule'), col('Labels'), col('Version'),
  col('Order'),
];

const ANSWER_MS_MAX = 10_000;

/** The section of nodes, and the question before one is drained. Its owner draws both after each change. */
export class NodesSection {
  /** @param onChange called when something is to be drawn again */
  constructor(onChange) {
    this.onChange = onChange;
    this.node = null;
    this.asking = false;
    this.failure = null;
    this.asksSecret = false;
  }

  /** Nothing as long as no agent has connected: a job's ranks then run beside their launchers. */
  section(overview) {
    const nodes = overview.relays.flatMap((relay) => relay.nodes.map((node) => ({ ...node, relay: relay.relay })));
    if (nodes.length === 0) return nothing;
    const draining = nodes.filter((node) => node.state !== 'open').length;
    return html`<section aria-labelledby="nodes-title">
      <h2 id="nodes-title">Nodes <span class="count">${plural(nodes.length, 'node')},
        ${count(sum(nodes, (node) => node.free))} of ${plural(sum(nodes, (node) => node.slots), 'slot')} free${draining > 0
          ? `, ${count(draining)} draining` : nothing}</span></h2>
      <div class="panel">${table('Nodes of the relays here', HEAD,
        repeat(nodes, (node) => `${node.relay} ${node.agent}`, (node) => this.row(node)), { hidden: true })}</div>
    </section>`;
  }

  row(node) {
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
      <td><button type="button" aria-haspopup="dialog" aria-label="${verb(node)} node ${node.name}"
        @click=${(event) => this.show(event, node)}>${verb(node)}…</button></td>
    </tr>`;
  }

  show(event, node) {
    this.opener = event.currentTarget;
    this.node = node;
    this.failure = null;
    this.onChange();
  }

  /** Called after each drawing: a dialog that keeps the focus inside has to be opened by hand. */
  drawn(root) {
    const dialog = root.querySelector('dialog.node');
    if (dialog && this.node && !dialog.open) dialog.showModal();
  }

  closed() {
    this.node = null;
    this.opener?.focus();
    this.onChange();
  }

  dialog() {
    if (!this.node) return nothing;
    const { node } = this;
    const goesOn = node.jobsNow === 0 ? 'No job has slots there.'
      : `${plural(node.jobsNow, 'job')} with slots there ${node.jobsNow === 1 ? 'goes' : 'go'} on.`;
    return html`<dialog class="order node" aria-labelledby="node-title" @close=${() => this.closed()}>
      <form method="dialog" @submit=${(event) => this.order(event)}>
        <h2 id="node-title">${verb(node)} node ${node.name} of relay ${node.relay}?</h2>
        <p>${isOpen(node) ? `It takes no new job from then on. ${goesOn}` : 'It takes new jobs from then on.'}</p>
        ${this.failure ? html`<p class="notice bad" role="alert">${this.failure}</p>` : nothing}
        ${this.asksSecret ? html`<label class="size">The relay's secret (the file ops-token in its data folder)
          <input type="password" name="secret" autocomplete="off" required></label>` : nothing}
        <div class="actions">
          <button type="button" @click=${(event) => event.target.closest('dialog').close()}>Leave it ${node.state}</button>
          <button type="submit" class="primary" ?disabled=${this.asking}>${verb(node)}</button>
        </div>
      </form>
    </dialog>`;
  }

  /** Its new state comes with the live stream. */
  async order(event) {
    event.preventDefault();
    const dialog = event.target.closest('dialog');
    takeSecret(dialog);
    this.asking = true;
    this.failure = null;
    this.onChange();
    try {
      const answer = await give('/api/v1/drain-node', { node: this.node.name, drain: isOpen(this.node) }, ANSWER_MS_MAX);
      if (answer.ok && answer.told.relays.some((report) => report.passed)) {
        this.asksSecret = false;
        dialog.close();
      } else if (answer.ok) {
        this.failure = `No relay here has a node ${this.node.name} any more.`;
      } else {
        this.asksSecret = answer.asksSecret;
        this.failure = `Not done: ${answer.asksSecret ? answer.unproven : answer.told.error}`;
      }
    } catch {
      this.failure = 'No answer; it may have been done: see State in the table.';
    } finally {
      this.asking = false;
      this.onChange();
    }
  }
}

function isOpen(node) {
  return node.state === 'open';
}

function verb(node) {
  return isOpen(node) ? 'Drain' : 'Undrain';
}
