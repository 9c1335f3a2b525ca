// What has happened: events as the relays tell them, over the stream and from what they keep.

const EVENTS_MAX = 2_000;

export class EventLog {
  constructor() {
    this.byKey = new Map();
    /** The newest first. */
    this.all = [];
    this.heard = false;
  }

  /** An event that is told again is one event, as after a reconnection: perhaps by another console, which numbers it otherwise. */
  accept(events) {
    this.heard = true;
    const before = this.byKey.size;
    for (const event of events) this.byKey.set(keyOf(event), event);
    if (this.byKey.size === before) return;
    this.all = [...this.byKey.values()].sort((a, b) => b.at - a.at || b.id - a.id).slice(0, EVENTS_MAX);
    if (this.byKey.size > EVENTS_MAX) this.byKey = new Map(this.all.map((event) => [keyOf(event), event]));
  }

  /** @param filter `kind`, `job` and `text`, each empty or absent for all */
  matching({ kind, job, text }) {
    const wanted = (text ?? '').toLowerCase();
    return this.all.filter((event) => (!kind || event.kind === kind) && (!job || event.job === job)
      && (!wanted || `${event.text} ${event.relay} ${event.job}`.toLowerCase().includes(wanted)));
  }

  kinds() {
    return [...new Set(this.all.map((event) => event.kind))].sort();
  }
}

function keyOf({ at, relay, kind, job, rank, text }) {
  return [at, relay, kind, job, rank, text].join('\n');
}
