package org.posthouse.directory;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All postings as one process knows them.
 *
 * <p>Thread-safe: reads take no lock, changes hold one for the time of one map operation (of one pass over a job's
 * ranks when it ends). A key only moves up in the order of its postings, whatever order they arrive in, so what is told
 * twice or late does no harm.
 */
final class View {
    private static final Logger LOG = LoggerFactory.getLogger(View.class);

    private final ConcurrentSkipListMap<String, Posting> postings = new ConcurrentSkipListMap<>();

    /** Takes a posting made here; empty when it is refused by what is known already, which is logged. */
    Optional<Posting> write(Posting posting) {
        Posting held;
        Optional<Posting> result;
        synchronized (this) {
            held = postings.get(posting.key());
            result = ofEndedJob(posting) ? Optional.empty() : posting.over(held);
            result.ifPresent(this::store);
        }
        if (result.isEmpty()) {
            LOG.info("directory: {} at {} refused, known is {}", posting.key(), posting.version(),
                    held == null ? "that its job has ended" : held.standing() + " at " + held.version());
        }
        return result;
    }

    /** Takes a posting that others hold; what is known already stays when it is later. */
    void learn(Posting posting) {
        synchronized (this) {
            Posting held = postings.get(posting.key());
            if (!ofEndedJob(posting) && (held == null || posting.laterThan(held))) {
                store(posting);
            }
        }
    }

    private void store(Posting posting) {
        postings.put(posting.key(), posting);
        if (posting.endedJob() != null) {
            ranksOf(posting.endedJob()).clear();
        }
    }

    private boolean ofEndedJob(Posting posting) {
        return posting.rank() != null && ended(posting.rank().job());
    }

    boolean ended(long job) {
        return postings.containsKey(Posting.endedKey(job));
    }

    Posting get(String key) {
        return postings.get(key);
    }

    List<Posting> all() {
        return List.copyOf(postings.values());
    }

    List<Posting> relayPostings() {
        return List.copyOf(subMap(Posting.RELAY_KEYS).values());
    }

    List<Posting> endedPostings() {
        return List.copyOf(subMap(Posting.ENDED_KEYS).values());
    }

    /** Drops the posting unless a later one has come. */
    void drop(Posting posting) {
        postings.remove(posting.key(), posting);
    }

    List<RelayEntry> relays() {
        return subMap(Posting.RELAY_KEYS).values().stream()
                .filter(Posting::present)
                .map(Posting::relay)
                .sorted(RelayEntry.ORDER)
                .toList();
    }

    /** 0 if nothing is known of it. */
    long epoch(String relay) {
        Posting known = postings.get(Posting.relayKey(relay));
        return known == null ? 0 : known.version();
    }

    List<RankEntry> ranks(long job) {
        return ranksOf(job).values().stream().map(Posting::rank).sorted(RankEntry.ORDER).toList();
    }

    private ConcurrentNavigableMap<String, Posting> ranksOf(long job) {
        return subMap(Posting.rankKeys(job));
    }

    private ConcurrentNavigableMap<String, Posting> subMap(String prefix) {
        return postings.subMap(prefix, prefix + Character.MAX_VALUE);
    }
}
