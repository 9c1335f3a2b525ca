// Data of one view that the live stream does not carry: asked for every two seconds while the view is shown.

import { secretHeader } from '/console/orders.js';

const PERIOD_MS = 2_000;

export class Poller {
  /** @param onChange called when there is something new to draw */
  constructor(onChange) {
    this.onChange = onChange;
    this.path = null;
    this.value = null;
    this.failure = null;
    this.status = 0;
  }

  /** @param path what to ask for from now on; null for nothing */
  use(path) {
    if (path === this.path) return;
    clearTimeout(this.timer);
    this.asking?.abort();
    this.path = path;
    this.value = null;
    this.failure = null;
    this.status = 0;
    if (path) this.ask(path);
  }

  /** Asks at once, as somebody may have proved who he is. */
  again() {
    const { path } = this;
    this.use(null);
    this.use(path);
  }

  async ask(path) {
    this.asking = new AbortController();
    try {
      if (!document.hidden) await this.fetch(path, this.asking.signal);
    } catch (failure) {
      if (path === this.path) this.failure = `no answer: ${failure.message}`;
    }
    if (path !== this.path) return;
    this.onChange();
    this.timer = setTimeout(() => this.ask(path), PERIOD_MS);
  }

  async fetch(path, signal) {
    const answer = await fetch(path, { signal, headers: secretHeader() });
    const told = await answer.json();
    if (path !== this.path) return;
    if (answer.ok) this.value = told;
    this.status = answer.status;
    this.failure = answer.ok ? null : told.error;
  }
}
