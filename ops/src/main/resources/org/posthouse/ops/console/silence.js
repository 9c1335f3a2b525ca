// What is known of relays that have not been heard for a while: a rank of such a relay is not connected, it is unknown.

import { directory, isLive } from '/console/model.js';

/** A relay of another process tells its state every few seconds. */
export const SILENT_AFTER_MS = 10_000;

const KEEPS_ITS_STATE = new Set(['FINALIZED', 'LOST']);

/** @returns {Map<string, number>} by id, the relays that have not been heard, and since when */
export function silentRelays(overview, now) {
  const silent = new Map();
  const heard = new Set();
  for (const relay of overview.relays) {
    if (relay.here === false && now - relay.asOf > SILENT_AFTER_MS) silent.set(relay.relay, relay.asOf);
    else heard.add(relay.relay);
  }
  for (const entry of directory(overview)) {
    if (!entry.alive && !heard.has(entry.relay) && !silent.has(entry.relay)) silent.set(entry.relay, entry.since);
  }
  for (const [peer, since] of cutOff(overview, heard)) {
    if (now - since > SILENT_AFTER_MS && !silent.has(peer)) silent.set(peer, since);
  }
  return silent;
}

/** Relays that only links tell of, with when the last of these links went down: the group may notice it half a minute later. */
function cutOff(overview, heard) {
  const links = overview.relays.filter((relay) => heard.has(relay.relay)).flatMap((relay) => relay.links);
  const up = new Set(links.filter((link) => link.state === 'UP').map((link) => link.peerRelay));
  const cut = new Map();
  for (const { peerRelay, parked } of links) {
    if (parked && !up.has(peerRelay) && !heard.has(peerRelay)) cut.set(peerRelay, Math.max(parked.since, cut.get(peerRelay) ?? 0));
  }
  return cut;
}

/** The overview in which nothing of a silent relay is shown as if it were known: its ranks and links are NOT_HEARD. */
export function withSilence(overview, now) {
  const silent = silentRelays(overview, now);
  if (silent.size === 0) return { ...overview, silent };
  return {
    ...overview,
    silent,
    relays: overview.relays.map((relay) => (silent.has(relay.relay) ? silenced(relay) : relay)),
    jobs: overview.jobs.map((job) => (isLive(job) ? { ...job, ranks: job.ranks.map((rank) => known(rank, silent)) } : job)),
  };
}

function silenced(relay) {
  return { ...relay, links: relay.links.map((link) => ({ ...link, state: 'NOT_HEARD', since: relay.asOf, parked: null, held: '' })) };
}

function known(rank, silent) {
  if (!silent.has(rank.relay) || KEEPS_ITS_STATE.has(rank.state)) return rank;
  return { ...rank, state: 'NOT_HEARD', notHeardSince: silent.get(rank.relay), blockedIn: '', blockedSince: 0 };
}
