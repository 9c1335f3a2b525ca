// The one live stream of all tabs of this browser: HTTP/1.1 has six connections for a host, so the seventh tab with a
// stream of its own would wait for ever. Each tab gets every event, and a new tab at once the newest overview.

import { LiveStream } from '/console/stream.js';

const BEAT_MS = 1000;

/** Of the log of events, as JSON texts of lists: what a new tab is told at the start. */
const LOG_PARTS_MAX = 50;

const ports = new Set();
let overview = null;
let log = [];

const stream = new LiveStream((kind, text) => {
  if (kind === 'overview') overview = text;
  else log = [...log.slice(-LOG_PARTS_MAX + 1), text];
  tell({ kind, text });
}, (state) => {
  if (state === 'denied') forget();
  tell({ kind: 'state', state });
});

/** What one user has seen is not for the next. */
function forget() {
  overview = null;
  log = [];
}

function tell(message) {
  for (const port of ports) port.postMessage({ ...message, heardAt: stream.heardAt });
}

function heard(port, order) {
  if (order === 'join') {
    if (stream.state === 'denied') stream.open(); // Who joins has logged in.
    ports.add(port);
    port.postMessage({ kind: 'state', state: stream.state, heardAt: stream.heardAt });
    if (overview) port.postMessage({ kind: 'overview', text: overview, heardAt: stream.heardAt });
    for (const text of log) port.postMessage({ kind: 'log', text, heardAt: stream.heardAt });
  } else if (order === 'leave') {
    ports.delete(port);
  } else if (order === 'open') {
    stream.open();
  }
}

self.addEventListener('connect', (event) => {
  const [port] = event.ports;
  port.onmessage = (message) => heard(port, message.data);
});

stream.open();
setInterval(() => {
  stream.beat();
  tell({ kind: 'beat' });
}, BEAT_MS);
