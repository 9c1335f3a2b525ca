// The live stream: server-sent events, with a retry of our own where the browser gives up, and a look at /healthz when
// the stream is silent for long (a stopped process keeps its socket open and would look idle for ever).

const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 5_000;
const SILENCE_MS_MAX = 12_000;
const HEALTH_MS_MAX = 4_000;

export class LiveStream {
  /** @param onOverview called with each parsed event; @param onState called with 'connecting', 'live' or 'lost' */
  constructor(onOverview, onState) {
    this.onOverview = onOverview;
    this.onState = onState;
    this.state = null;
    this.retryMs = RETRY_MS_MIN;
    this.heardAt = Date.now();
  }

  open() {
    clearTimeout(this.retry);
    this.source?.close();
    if (this.state !== 'lost') this.change('connecting');
    this.source = new EventSource('/api/v1/events');
    this.source.addEventListener('overview', (event) => {
      this.heardAt = Date.now();
      this.retryMs = RETRY_MS_MIN;
      this.change('live');
      this.onOverview(JSON.parse(event.data));
    });
    this.source.addEventListener('open', () => {
      this.heardAt = Date.now();
    });
    this.source.addEventListener('error', () => this.lost());
  }

  /** Once a second. */
  async beat() {
    if (this.state !== 'live' || this.asking || Date.now() - this.heardAt < SILENCE_MS_MAX) return;
    this.asking = true;
    try {
      const answer = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(HEALTH_MS_MAX) });
      if (!answer.ok) throw new Error(`healthz answers ${answer.status}`);
      this.heardAt = Date.now();
    } catch {
      this.lost();
    } finally {
      this.asking = false;
    }
  }

  lost() {
    this.change('lost');
    this.source.close();
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.open(), this.retryMs);
    this.retryMs = Math.min(RETRY_MS_MAX, this.retryMs * 2);
  }

  change(state) {
    if (state === this.state) return;
    this.state = state;
    this.onState(state);
  }
}
