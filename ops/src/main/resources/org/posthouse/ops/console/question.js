// A question before an order is given: what will happen, who refuses it, and what came of it.

import { html, nothing } from 'lit';
import { give, takeSecret } from '/console/orders.js';

const ANSWER_MS_MAX = 10_000;

/** Owns the dialog's state; its owner draws {@link dialog}, and calls {@link drawn}, after each change. */
export class Question {
  /** @param onChange called when something is to be drawn again */
  constructor(onChange) {
    this.onChange = onChange;
    this.order = null;
    /** Whether views offer orders. */
    this.mayOrder = true;
    this.asking = false;
    this.failure = null;
    this.asksSecret = false;
  }

  /**
   * @param order `kind` (a class of the dialog), `title`, `text`, `keep` and `verb` (words of the buttons), `path` and `body`
   *     of the request, `refused` (given the answer, why it has not been done, or null), `look` (where to see what came of it),
   *     `done` (given the answer of an order that was followed; may be absent)
   */
  ask(event, order) {
    this.opener = event.currentTarget;
    this.order = order;
    this.failure = null;
    this.onChange();
  }

  /** Called after each drawing: a dialog that keeps the focus inside has to be opened by hand. */
  drawn(root) {
    const dialog = root.querySelector('dialog.question');
    if (dialog && this.order && !dialog.open) dialog.showModal();
  }

  closed() {
    this.order = null;
    this.opener?.focus();
    this.onChange();
  }

  dialog() {
    if (!this.order) return nothing;
    const { kind, title, text, keep, verb } = this.order;
    return html`<dialog class="order question ${kind}" aria-labelledby="question-title" @close=${() => this.closed()}>
      <form method="dialog" @submit=${(event) => this.give(event)}>
        <h2 id="question-title">${title}</h2>
        <p>${text}</p>
        ${this.failure ? html`<p class="notice bad" role="alert">${this.failure}</p>` : nothing}
        ${this.asksSecret ? html`<label class="size">The relay's secret (the file ops-token in its data folder)
          <input type="password" name="secret" autocomplete="off" required></label>` : nothing}
        <div class="actions">
          <button type="button" @click=${(event) => event.target.closest('dialog').close()}>${keep}</button>
          <button type="submit" class="primary" ?disabled=${this.asking}>${verb}</button>
        </div>
      </form>
    </dialog>`;
  }

  /** The new state comes with the live stream. */
  async give(event) {
    event.preventDefault();
    const dialog = event.target.closest('dialog');
    const { path, body, refused, look } = this.order;
    takeSecret(dialog);
    this.asking = true;
    this.failure = null;
    this.onChange();
    try {
      const answer = await give(path, body, ANSWER_MS_MAX);
      this.asksSecret = answer.asksSecret;
      this.failure = answer.ok ? refused(answer.told) : `Not done: ${answer.asksSecret ? answer.unproven : answer.told.error}`;
      if (!this.failure) {
        this.order.done?.(answer.told);
        dialog.close();
      }
    } catch {
      this.failure = `No answer; it may have been done: see ${look}.`;
    } finally {
      this.asking = false;
      this.onChange();
    }
  }
}
