// The live stream: server-sent events, with a retry of our own where the browser gives up, and when the stream is silent
// for long: of a stopped process, or one that has forgotten the connection, it would look idle for ever.
// No DOM: it runs in the worker that all tabs share, or in the page where there is none.

const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 5_000;

/** The server says every five seconds that it is still there. */
const SILENCE_MS_MAX = 12_000;

export class LiveStream {
  /** @param onData called with 'overview' or 'log' and its JSON text; @param onState called with 'connecting', 'live', 'lost', or 'denied': who looks has to log in */
  constructor(onData, onState) {
    this.onData = onData;
    this.onState = onState;
    this.state = null;
    this.retryMs = RETRY_MS_MIN;
    this.heardAt = Date.now();
    /** The server's number of the last event of the log that was heard: another connection goes on behind it. */
    this.lastId = '';
  }

  open() {
    this.close();
    if (this.state !== 'lost') this.change('connecting');
    this.source = new EventSource(this.lastId ? `/api/v1/events?after=${this.lastId}` : '/api/v1/events');
    this.source.addEventListener('overview', (event) => {
      this.heardAt = Date.now();
      this.retryMs = RETRY_MS_MIN;
      this.change('live');
      this.onData('overview', event.data);
    });
    this.source.addEventListener('log', (event) => {
      this.heardAt = Date.now();
      this.lastId = event.lastEventId;
      this.onData('log', event.data);
    });
    for (const sign of ['open', 'quiet']) {
      this.source.addEventListener(sign, () => {
        this.heardAt = Date.now();
      });
    }
    this.source.addEventListener('error', () => this.lost());
  }

  close() {
    clearTimeout(this.retry);
    this.source?.close();
  }

  /** Once a second. */
  beat() {
    if (this.state === 'live' && Date.now() - this.heardAt >= SILENCE_MS_MAX) this.lost();
  }

  lost() {
    this.change('lost');
    this.close();
    this.retry = setTimeout(() => this.openIfAllowed(), this.retryMs);
    this.retryMs = Math.min(RETRY_MS_MAX, this.retryMs * 2);
  }

  /** A stream that ends with its session looks as one that is cut: the status of the answer is told to nobody. */
  async openIfAllowed() {
    const { source } = this;
    const answer = await fetch('/api/v1/me').catch(() => null);
    if (source !== this.source) return;
    if (answer?.status === 401) this.change('denied');
    else this.open();
  }

  change(state) {
    if (state === this.state) return;
    this.state = state;
    this.onState(state);
  }
}
