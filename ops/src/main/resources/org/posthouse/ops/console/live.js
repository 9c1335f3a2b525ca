// What a page hears: over the worker that all tabs share or, in a browser that has no such worker, over a stream of its
// own that is closed while the page is hidden.

import { LiveStream } from '/console/stream.js';

const WORKER = '/console/worker.js';

/** With a number that changes with the messages between page and worker: tabs of two versions do not share one. */
const WORKER_NAME = 'posthouse-2';

/** The worker gives a sign of life each second; without one it has ended, and the page listens by itself. */
const WORKER_SILENCE_MS_MAX = 15_000;

export class LiveFeed {
  /** @param listener has `overview(object)`, `log(events)` and `state('connecting' | 'live' | 'lost' | 'denied')` */
  constructor(listener) {
    this.listener = listener;
    this.workerHeardAt = Date.now();
    this.ownHeardAt = null;
    this.onHidden = () => this.visibilityChanged();
    this.onLeave = () => this.port?.postMessage('leave');
    this.onReturn = (event) => {
      if (event.persisted) this.port?.postMessage('join');
    };
  }

  /** When the server was heard last, by this browser's clock. */
  get heardAt() {
    return this.own ? this.own.heardAt : this.ownHeardAt ?? Date.now();
  }

  start() {
    addEventListener('pagehide', this.onLeave);
    addEventListener('pageshow', this.onReturn);
    if ('SharedWorker' in globalThis) this.join();
    else this.listenAlone();
  }

  stop() {
    removeEventListener('pagehide', this.onLeave);
    removeEventListener('pageshow', this.onReturn);
    document.removeEventListener('visibilitychange', this.onHidden);
    this.onLeave();
    this.own?.close();
  }

  join() {
    const worker = new SharedWorker(workerUrl(), { type: 'module', name: WORKER_NAME });
    this.port = worker.port;
    this.port.onmessage = (event) => this.heard(event.data);
    this.port.postMessage('join');
    worker.onerror = () => this.listenAlone();
  }

  heard(message) {
    this.workerHeardAt = Date.now();
    this.ownHeardAt = message.heardAt;
    if (message.kind === 'state') this.listener.state(message.state);
    else if (message.kind !== 'beat') this.deliver(message.kind, message.text);
  }

  deliver(kind, text) {
    const data = JSON.parse(text);
    if (kind === 'overview') this.listener.overview(data);
    else this.listener.log(data.events);
  }

  /** Tries at once to connect again. */
  open() {
    if (this.own) this.own.open();
    else this.port.postMessage('open');
  }

  /** Once a second. */
  beat() {
    this.own?.beat();
    if (!this.own && !document.hidden && Date.now() - this.workerHeardAt > WORKER_SILENCE_MS_MAX) this.listenAlone();
  }

  listenAlone() {
    if (this.own) return;
    this.onLeave();
    this.port = null;
    this.own = new LiveStream((kind, text) => this.deliver(kind, text), (state) => this.listener.state(state));
    document.addEventListener('visibilitychange', this.onHidden);
    if (!document.hidden) this.own.open();
  }

  visibilityChanged() {
    if (document.hidden) this.own.close();
    else this.own.open();
  }
}

/** The policy that the page's Content-Security-Policy names: it lets this one script be a worker, and no other. */
function workerUrl() {
  if (!globalThis.trustedTypes) return WORKER;
  policy ??= globalThis.trustedTypes.createPolicy('posthouse', {
    createScriptURL: (url) => {
      if (url !== WORKER) throw new TypeError(`${url} is no worker of this page; expected ${WORKER}`);
      return url;
    },
  });
  return policy.createScriptURL(WORKER);
}

let policy = null;
