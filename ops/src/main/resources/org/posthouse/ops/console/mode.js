// The change of mode: a dialog that says what will happen and asks, and what came of it.

import { html, nothing } from 'lit';
import { liveRanks } from '/console/model.js';
import { micros, plural } from '/console/format.js';
import { give, takeSecret } from '/console/orders.js';

const MODES = [
  ['multiplexed', 'one event loop does all'],
  ['pooled', 'several event loops, each with ranks of its own'],
  ['pipeline', 'loops that read, loops that match and log, loops that write'],
  ['threaded', 'a virtual thread for each connection, in blocking style'],
];

const LOOPS_MAX = 64;

/** Longer than a relay waits for ranks that compute before it answers. */
const ANSWER_MS_MAX = 15_000;

const IN_DOUBT = 'it may have been changed: see Mode in the table';

/** Owns the dialog's state; its owner draws {@link button}, {@link dialog} and {@link outcome} after each change. */
export class ModeChanger {
  /** @param onChange called when something is to be drawn again */
  constructor(onChange) {
    this.onChange = onChange;
    this.chosen = 'multiplexed';
    this.loops = '';
    this.pipeline = '';
    this.open = false;
    /** Whether views offer it. */
    this.mayOrder = true;
    this.asking = false;
    this.reports = null;
    this.failure = null;
    this.asksSecret = false;
  }

  button(relays) {
    if (!this.mayOrder) return nothing;
    return html`<button type="button" aria-haspopup="dialog" @click=${(event) => this.show(event, relays)}>Change mode…</button>`;
  }

  show(event, relays) {
    this.opener = event.currentTarget;
    this.chosen = relays[0]?.mode ?? 'multiplexed';
    this.open = true;
    this.failure = null;
    this.onChange();
  }

  /** Called after each drawing: a dialog that keeps the focus inside has to be opened by hand. */
  drawn(root) {
    const dialog = root.querySelector('dialog.mode');
    if (dialog && this.open && !dialog.open) {
      dialog.showModal();
      dialog.querySelector('input:checked')?.focus();
    }
  }

  closed() {
    this.open = false;
    this.opener?.focus();
    this.onChange();
  }

  dialog(overview) {
    if (!this.open) return nothing;
    const relays = overview.relays.filter((relay) => relay.here !== false);
    const ranks = relays.flatMap((relay) => liveRanks(overview)
      .filter((rank) => rank.relay === relay.relay && rank.state === 'CONNECTED'));
    const modes = [...new Set(relays.map((relay) => relay.mode))].join(', ');
    return html`<dialog class="order mode" aria-labelledby="mode-title" @close=${() => this.closed()}>
      <form method="dialog" @submit=${(event) => this.order(event, relays.length)}>
        <h2 id="mode-title">Change the mode of ${plural(relays.length, 'relay')}?</h2>
        <p>${relays.map((relay) => relay.relay).join(', ')}: ${modes} now. ${ranks.length === 0 ? 'No rank is connected.'
          : html`${plural(ranks.length, 'connected rank')} will be asked to connect again, each at its next call, and pause
            for some milliseconds. Nothing is lost; jobs go on.`}</p>
        <fieldset ?disabled=${this.asking}>
          <legend class="visually-hidden">Mode</legend>
          ${MODES.map(([mode, meaning]) => this.choice(mode, meaning))}
        </fieldset>
        ${this.failure ? html`<p class="notice bad" role="alert">${this.failure}</p>` : nothing}
        ${this.asksSecret ? html`<label class="size">The relay's secret (the file ops-token in its data folder)
          <input type="password" name="secret" autocomplete="off" required></label>` : nothing}
        <div class="actions">
          <button type="button" @click=${(event) => event.target.closest('dialog').close()}>Keep ${modes}</button>
          <button type="submit" class="primary" ?disabled=${this.asking}>
            ${this.asking ? 'Changing…' : `Change to ${this.chosen}`}</button>
        </div>
      </form>
    </dialog>`;
  }

  choice(mode, meaning) {
    const id = `mode-${mode}`;
    return html`<div class="choice">
      <input type="radio" name="mode" id=${id} .checked=${this.chosen === mode} aria-describedby="${id}-meaning"
        @change=${() => this.choose(mode)}>
      <label for=${id}>${mode}</label>
      <span class="sub" id="${id}-meaning">${meaning}</span>
      ${this.chosen === mode ? this.sizes(mode) : nothing}
    </div>`;
  }

  choose(mode) {
    this.chosen = mode;
    this.onChange();
  }

  sizes(mode) {
    if (mode === 'pooled') {
      return html`<label class="size">Loops <input type="number" min="1" max=${LOOPS_MAX} placeholder="by processors"
        .value=${this.loops} @input=${(event) => { this.loops = event.target.value; }}></label>`;
    }
    if (mode === 'pipeline') {
      return html`<label class="size">Read, match, write <input type="text" placeholder="2,1,2" pattern="[0-9]{1,2},[0-9]{1,2},[0-9]{1,2}"
        title="three numbers, as in 2,1,2" .value=${this.pipeline}
        @input=${(event) => { this.pipeline = event.target.value; }}></label>`;
    }
    return nothing;
  }

  body() {
    const order = { mode: this.chosen };
    if (this.chosen === 'pooled' && this.loops) order.loops = Number(this.loops);
    if (this.chosen === 'pipeline' && this.pipeline) order.pipeline = this.pipeline;
    return order;
  }

  /** The browser has checked the fields; the relay checks all. */
  async order(event, relays) {
    event.preventDefault();
    const dialog = event.target.closest('dialog');
    takeSecret(dialog);
    this.asking = true;
    this.failure = null;
    this.onChange();
    try {
      const answer = await give('/api/v1/mode', this.body(), ANSWER_MS_MAX);
      if (answer.ok) {
        this.reports = answer.told.changes;
        this.asksSecret = false;
        dialog.close();
      } else if (answer.asksSecret) {
        this.failure = `Not changed: ${answer.unproven}`;
        this.asksSecret = true;
      } else {
        this.failure = refusal(answer.status, answer.told.error, relays);
      }
    } catch {
      this.failure = `No answer; ${IN_DOUBT}`;
    } finally {
      this.asking = false;
      this.onChange();
    }
  }

  /** The result of the last change, until the user puts it away. */
  outcome() {
    if (!this.reports) return nothing;
    return html`<div class="notice told" role="status">
      ${this.reports.map((report) => html`<p><strong>${report.relay}: ${report.from} → ${report.to}.</strong> ${told(report)}</p>`)}
      <button type="button" @click=${() => this.putAway()}>Put away</button>
    </div>`;
  }

  putAway() {
    this.reports = null;
    this.onChange();
  }
}

/** Of several relays one may have changed before another refused. */
function refusal(status, error, relays) {
  return status < 500 && relays === 1 ? `Not changed: ${error}` : `${error}; ${IN_DOUBT}`;
}

function told(report) {
  if (report.asked === 0) return 'No rank was connected.';
  const left = report.left === 0 ? '' : ` ${plural(report.left, 'rank')} compute or are replayed, and move later.`;
  const pause = report.moved === 0 ? '' : ` They paused for ${micros(report.pauseMicrosMedian)} (median), at most`
    + ` ${micros(report.pauseMicrosMax)}; all took ${micros(report.tookMicros)}.`;
  return `${report.moved} of ${plural(report.asked, 'rank')} moved.${pause}${left}`;
}
