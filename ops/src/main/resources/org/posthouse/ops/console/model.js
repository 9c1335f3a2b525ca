// The page's data: the newest overview and, for each number that only grows, its speed over the last quarter of an hour.
// No DOM and no clock of its own; times are the server's, in milliseconds since 1970.

import { plural } from '/console/format.js';
import { silentRelays, withSilence } from '/console/silence.js';

export const HISTORY_MS = 900_000;

/** One beat of the server: what an event tells has happened since the beat before, however long it was quiet. */
const BEAT_MS = 1000;

/** Longer than one beat of the server: after that a silent stream means that nothing moved. */
const QUIET_AFTER_MS = 1800;

/** Speed of one growing number, and what it was: pairs of time and speed. A number that falls counts as standing still once. */
class Speed {
  constructor() {
    this.history = [];
    this.perSecond = null;
    this.at = null;
    this.value = 0;
    this.round = 0;
  }

  accept(at, value) {
    if (this.at != null && at > this.at) {
      this.push(at, Math.max(0, value - this.value) / (Math.max(BEAT_MS, at - this.at) / 1000));
    }
    this.at = at;
    this.value = value;
  }

  /** Other relays count from now on: what they had counted before is no speed. */
  rebase(at, value) {
    this.at = at;
    this.value = value;
  }

  push(at, perSecond) {
    this.perSecond = perSecond;
    this.history.push([at, perSecond]);
    while (this.history[0][0] < at - HISTORY_MS) this.history.shift();
  }

  /** What the server knows of the time before this page was opened. */
  precede(samples) {
    const first = this.history[0]?.[0] ?? Infinity;
    this.history.unshift(...samples.filter(([at]) => at < first));
  }
}

export class Model {
  constructor() {
    /** The last one heard, in which nothing of a silent relay is shown as known. */
    this.overview = null;
    this.heard = null;
    this.before = new Map();
    this.speeds = new Map();
    this.starts = new Map();
    this.clockAhead = 0;
    this.round = 0;
  }

  /** @param overview one event of the live stream; @param localNow the browser's clock when it came */
  accept(overview, localNow) {
    this.heard = overview;
    this.overview = withSilence(overview, overview.at);
    this.clockAhead = overview.at - localNow;
    this.round += 1;
    let messages = 0;
    let bytes = 0;
    for (const relay of overview.relays) {
      const key = relayKey(relay);
      const c = relay.counters;
      this.forgetIfRestarted(key, relay.startedAt);
      for (const name of ['messagesIn', 'messagesOut', 'bytesIn', 'bytesOut']) this.note(`${key} ${name}`, c[name]);
      for (const link of relay.links) {
        for (const name of ['messagesIn', 'messagesOut', 'bytesIn', 'bytesOut']) {
          this.note(`${linkKey(relay, link)} ${name}`, link[name]);
        }
        for (const name of ['bytesIn', 'bytesOut']) {
          this.note(`${linkKey(relay, link)} streams ${name}`, link.streams[name]);
          for (const lane of link.perLane) this.note(`${linkKey(relay, link)} lane ${lane.lane} ${name}`, lane[name]);
        }
      }
      // Messages from links were counted where they entered: each message counts once.
      messages += c.messagesIn - c.linkMessagesIn;
      bytes += c.bytesIn - c.linkBytesIn;
    }
    const counting = overview.relays.map(relayKey).sort().join();
    const anew = counting !== this.counting;
    this.counting = counting;
    this.note('messages', messages, anew);
    this.note('bytes', bytes, anew);
    for (const job of overview.jobs) this.note(`job ${job.id}`, sum(job.ranks, (rank) => rank.messagesSent), anew);
    for (const [key, speed] of this.speeds) if (speed.round !== this.round) this.speeds.delete(key);
  }

  /** Its numbers begin anew, and are no speeds of what was before. */
  forgetIfRestarted(key, startedAt) {
    if (this.starts.has(key) && this.starts.get(key) !== startedAt) {
      for (const name of this.speeds.keys()) if (name.startsWith(`${key} `)) this.speeds.delete(name);
    }
    this.starts.set(key, startedAt);
  }

  /** What the server has kept of the last minutes: `from`, `stepMs`, and by key the speeds, null where it knows none. */
  acceptHistory({ from, stepMs, series }) {
    for (const [key, values] of Object.entries(series)) {
      const samples = values.map((value, i) => [from + i * stepMs, value]).filter(([, value]) => value != null);
      if (this.speeds.has(key)) this.speeds.get(key).precede(samples);
      else this.before.set(key, samples);
    }
  }

  /** The stream is alive and silent: nothing moved, and a relay that is not heard becomes silent. */
  beQuiet(localNow) {
    const at = this.now(localNow);
    if (this.heard && silentRelays(this.heard, at).size !== this.overview.silent.size) this.overview = withSilence(this.heard, at);
    for (const speed of this.speeds.values()) {
      if (speed.at != null && at - speed.at > QUIET_AFTER_MS) {
        speed.push(at, 0);
        speed.at = at;
      }
    }
  }

  /** The server's clock, guessed from the last event. */
  now(localNow) {
    return localNow + this.clockAhead;
  }

  perSecond(key) {
    return this.speeds.get(key)?.perSecond ?? null;
  }

  history(key) {
    return this.speeds.get(key)?.history ?? [];
  }

  /** @param anew whether other relays have counted the value than the one before */
  note(key, value, anew = false) {
    let speed = this.speeds.get(key);
    if (!speed) {
      this.speeds.set(key, (speed = new Speed()));
      speed.precede(this.before.get(key) ?? []);
      this.before.delete(key);
    }
    speed.round = this.round;
    if (anew) speed.rebase(this.heard.at, value);
    else speed.accept(this.heard.at, value);
  }
}

export function relayKey(relay) {
  return `relay ${relay.site}/${relay.relay}`;
}

export function linkKey(relay, link) {
  return `${relayKey(relay)} → ${link.peerRelay}`;
}

export function sum(items, value) {
  return items.reduce((total, item) => total + value(item), 0);
}

export function countBy(items, key) {
  const counts = new Map();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

const LIVE = new Set(['STARTING', 'RUNNING']);

/** A job that has ended stays in the overview for a while, for people to see. */
export function isLive(job) {
  return LIVE.has(job.state);
}

/** Ranks of jobs that run, but those that are done. */
export function liveRanks(overview) {
  return overview.jobs.filter(isLive).flatMap((job) => job.ranks).filter((rank) => rank.state !== 'FINALIZED');
}

/** Sites that are known from anywhere, with what is known of them, by name. */
export function sites(overview) {
  const byName = new Map();
  const site = (name) => {
    if (!byName.has(name)) byName.set(name, { name, relays: new Set(), silent: 0, ranks: 0, nodes: 0 });
    return byName.get(name);
  };
  for (const relay of overview.relays) {
    site(relay.site).relays.add(relay.relay);
    site(relay.site).nodes += relay.nodes?.length ?? 0;
    if (overview.silent?.has(relay.relay)) site(relay.site).silent += 1;
    relay.links.forEach((link) => site(link.peerSite));
    for (const known of relay.directory) {
      const at = site(known.site);
      if (!known.alive && !at.relays.has(known.relay)) at.silent += 1;
      at.relays.add(known.relay);
    }
  }
  for (const rank of liveRanks(overview)) site(rank.site).ranks += 1;
  return [...byName.values()].sort((a, b) => a.name.localeCompare(b.name));
}

/** Of a link's two ends the one that is heard counts, and of both the worse. */
const LINK_ORDER = ['NOT_HEARD', 'UP', 'CONNECTING', 'DOWN'];

/** One entry for each pair of sites, and one for a site that has links inside; the worse of the two ends' states counts. */
export function siteLinks(overview, stateOf = (link) => link.state) {
  const pairs = new Map();
  for (const relay of overview.relays) {
    for (const link of relay.links) {
      const [a, b] = [relay.site, link.peerSite].sort();
      const pair = pairs.get(`${a}|${b}`) ?? { a, b, state: 'NOT_HEARD', roundTripMicros: 0 };
      const state = stateOf(link);
      if (LINK_ORDER.indexOf(state) > LINK_ORDER.indexOf(pair.state)) pair.state = state;
      pair.roundTripMicros = Math.max(pair.roundTripMicros, link.roundTripMicros);
      pairs.set(`${a}|${b}`, pair);
    }
  }
  return [...pairs.values()];
}

/** One entry for each relay of the group; what the highest epoch says wins and, between equals, who hears from it. */
export function directory(overview) {
  const known = new Map();
  for (const entry of overview.relays.flatMap((relay) => relay.directory)) {
    const key = `${entry.site}/${entry.relay}`;
    const other = known.get(key);
    if (!other || other.epoch < entry.epoch || (other.epoch === entry.epoch && !other.alive)) known.set(key, entry);
  }
  return [...known.values()].sort((a, b) => a.site.localeCompare(b.site) || a.relay.localeCompare(b.relay));
}

/** How the ranks of a job that runs stand, counted. */
export function standing(job) {
  const of = (state) => job.ranks.filter((rank) => rank.state === state);
  const silent = of('NOT_HEARD');
  return {
    lost: of('LOST').length,
    away: of('AWAY').length,
    notHeard: silent.length,
    notHeardSince: silent.length > 0 ? Math.min(...silent.map((rank) => rank.notHeardSince)) : 0,
    blocked: job.ranks.filter((rank) => rank.blockedIn).length,
  };
}

/** Sentences for a screen reader: only what a person would want to be interrupted for. */
export function changes(before, after) {
  if (!before) return [];
  const told = [];
  // A link that is down dials again and again.
  const stateOf = (link) => (link.state === 'CONNECTING' && link.parked ? 'DOWN' : link.state);
  const linkState = new Map(siteLinks(before, stateOf).map((link) => [`${link.a}|${link.b}`, link.state]));
  for (const link of siteLinks(after, stateOf)) {
    const was = linkState.get(`${link.a}|${link.b}`);
    const name = link.a === link.b ? `A link inside ${link.a}` : `Link ${link.a} to ${link.b}`;
    if (was && was !== link.state) told.push(`${name} is ${link.state.toLowerCase()}.`);
  }
  const jobBefore = new Map(before.jobs.map((job) => [job.id, job]));
  for (const job of after.jobs) {
    const was = jobBefore.get(job.id);
    if (!was) told.push(`Job ${job.name} appeared.`);
    else if (was.state !== job.state) told.push(`Job ${job.name} is ${job.state.toLowerCase()}.`);
    const lost = (view) => view?.ranks.filter((rank) => rank.state === 'LOST').length ?? 0;
    if (lost(job) > lost(was)) told.push(`Job ${job.name} has ${plural(lost(job), 'lost rank')}.`);
  }
  return told.slice(0, 4);
}
