// Who looks at the page, what he may do, and the form by which he says so where the relay asks for it.

import { html, nothing } from 'lit';

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Owns the form's state; its owner draws {@link page} or {@link mark} after each change. */
export class Account {
  /** @param onChange called when something is to be drawn again */
  constructor(onChange) {
    this.onChange = onChange;
    this.known = null;
    /** Whether nothing is shown without a login. */
    this.needed = false;
    this.forms = { names: false, secret: false };
    this.bySecret = false;
    this.asking = false;
    this.failure = null;
    this.onReturn = () => this.lookAgain();
  }

  /** Who has proved nothing at an open console shows the secret with an order, so he is offered it. */
  get mayOrder() {
    return !this.known || this.known.role === 'operator' || this.known.proof === 'none';
  }

  /** Asks the relay. What it does not answer, the live stream will tell of. */
  async check() {
    const answer = await fetch('/api/v1/me').catch(() => null);
    if (answer?.ok) this.known = await answer.json();
    if (answer?.status === 401) await this.ask();
    this.onChange();
  }

  async ask() {
    this.forms = await (await fetch('/api/v1/login')).json();
    this.bySecret = !this.forms.names;
    this.needed = true;
    document.addEventListener('visibilitychange', this.onReturn);
    addEventListener('focus', this.onReturn);
  }

  /** Another tab may have logged in. */
  async lookAgain() {
    if (document.hidden || this.asking) return;
    const answer = await fetch('/api/v1/me').catch(() => null);
    if (answer?.ok) location.reload();
  }

  /** Whose session it is, and its end. */
  mark() {
    if (this.known?.proof !== 'login') return nothing;
    return html`<p class="account">${this.known.name} <span class="sub">${this.known.role}</span>
      <button type="button" @click=${() => this.logout()}>Log out</button></p>`;
  }

  async logout() {
    await fetch('/api/v1/logout', { method: 'POST', headers: JSON_TYPE, body: '{}' }).catch(() => null);
    location.reload();
  }

  page() {
    const { names, secret } = this.forms;
    if (!names && !secret) {
      return html`<section class="login"><h2>This console is private</h2><p>It has no users and no secret. Only programs of the relay's own user
        may look. Start the relay with <span class="code">--ops-users</span> to let people in.</p></section>`;
    }
    return html`<section class="login" aria-labelledby="login-title">
      <h2 id="login-title">Log in</h2>
      <form @submit=${(event) => this.submit(event)}>
        ${this.bySecret ? field('secret', 'The relay\u2019s secret (the file ops-token in its data folder)', 'password', 'off')
          : [field('name', 'Name', 'text', 'username'), field('password', 'Password', 'password', 'current-password')]}
        ${this.failure ? html`<p class="notice bad" role="alert">${this.failure}</p>` : nothing}
        <div class="actions">
          ${names && secret ? html`<button type="button" @click=${() => this.turn()}>${this.bySecret ? 'By name and password' : 'By the secret'}</button>` : nothing}
          <button type="submit" class="primary" ?disabled=${this.asking}>${this.asking ? 'Asking…' : 'Log in'}</button>
        </div>
      </form>
    </section>`;
  }

  turn() {
    this.bySecret = !this.bySecret;
    this.failure = null;
    this.onChange();
  }

  /** The page comes anew at the address that was wanted, with what the user may see. */
  async submit(event) {
    event.preventDefault();
    const form = event.target;
    this.asking = true;
    this.failure = null;
    this.onChange();
    try {
      const body = JSON.stringify(Object.fromEntries(new FormData(form)));
      const answer = await fetch('/api/v1/login', { method: 'POST', headers: JSON_TYPE, body });
      if (answer.ok) {
        location.reload();
        return;
      }
      this.failure = sentence((await answer.json()).error);
      form.querySelector('input[type=password]').value = '';
    } catch {
      this.failure = 'The relay does not answer.';
    }
    this.asking = false;
    this.onChange();
    form.querySelector('input[type=password]').focus();
  }
}

function field(name, label, type, complete) {
  return html`<label>${label}<input name=${name} type=${type} autocomplete=${complete} autocapitalize="none" spellcheck="false" required></label>`;
}

function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
