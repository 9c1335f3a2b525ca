// Orders to the relays of this process, with the relay's secret if the user of this tab has given it.

/** Where the relay's secret is kept, until the tab is closed. */
const SECRET = 'posthouse.ops-token';

const UNAUTHORIZED = 401;

/** Takes the secret from the dialog's field, if it has one and it is filled. */
export function takeSecret(dialog) {
  const secret = dialog.querySelector('input[name=secret]')?.value.trim();
  if (secret) sessionStorage.setItem(SECRET, secret);
}

/** The header that shows the secret, if this tab has it. */
export function secretHeader() {
  const secret = sessionStorage.getItem(SECRET);
  return secret ? { Authorization: `Bearer ${secret}` } : {};
}

/**
 * Gives an order.
 *
 * @param patienceMs how long its answer is waited for
 * @returns the answer: `ok`, `status`, and the JSON `told`; with `asksSecret`, why the secret is asked for in `unproven`
 * @throws if none has come
 */
export async function give(path, order, patienceMs) {
  const secret = sessionStorage.getItem(SECRET);
  const answer = await fetch(path, {
    method: 'POST', body: JSON.stringify(order), signal: AbortSignal.timeout(patienceMs),
    headers: { 'Content-Type': 'application/json', ...secretHeader() },
  });
  const told = await answer.json();
  const asksSecret = answer.status === UNAUTHORIZED;
  if (asksSecret) sessionStorage.removeItem(SECRET);
  const unproven = secret ? 'this is not the relay\u2019s secret.'
    : 'this browser is not one of the relay\u2019s own user, so the relay asks for its secret.';
  return { ok: answer.ok, status: answer.status, told, asksSecret, unproven };
}
