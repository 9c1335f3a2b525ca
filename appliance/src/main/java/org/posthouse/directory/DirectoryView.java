package org.posthouse.directory;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All postings that one process knows. Thread-safe: reads take no lock; a change holds one for one map operation, or
 * for one pass over a job's ranks when the job ends.
 *
 * <p>The posting of a key only moves up in the order of postings, whatever the order of arrival. Repeated and late
 * postings therefore do no harm.
 */
final class DirectoryView {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryView.class);

    private final ConcurrentSkipListMap<String, Posting> postings = new ConcurrentSkipListMap<>();
    private final PostingProof proof;
    private final Consumer<String> onRefused;

    /** A view that accepts every posting. */
    DirectoryView() {
        this(PostingProof.NONE, why -> {});
    }

    /** @param onRefused receives the cause for each refused posting of others; called by any thread */
    DirectoryView(PostingProof proof, Consumer<String> onRefused) {
        this.proof = proof;
        this.onRefused = onRefused;
    }

    /**
     * Stores a posting made here.
     *
     * @return empty if the known postings overrule it, which is logged
     */
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

    /** Stores a posting of another member, if it is proven and later than the known one. */
    void learn(Posting posting) {
        if (!isNews(posting) || !believes(posting)) {
            return;
        }
        synchronized (this) {
            if (isNews(posting)) {
                store(posting);
            }
        }
    }

    /**
     * Whether the posting is later than the known one. A posting of ours also is news when it returns with its
     * signature.
     */
    private boolean isNews(Posting posting) {
        Posting held = postings.get(posting.key());
        return !ofEndedJob(posting) && (held == null || posting.laterThan(held) || held.equals(posting.signed(null)) && !held.equals(posting));
    }

    /** Whether a posting is proven. The known posting of a key was checked before. */
    boolean believes(Posting posting) {
        if (posting.equals(postings.get(posting.key()))) {
            return true;
        }
        Optional<String> refusal = proof.refusal(posting);
        refusal.ifPresent(onRefused);
        return refusal.isEmpty();
    }

    /** Stamps one of our postings anew, if it is still the known one. */
    Optional<Posting> again(Posting posting, long now) {
        Posting next = posting.again(now);
        return postings.replace(posting.key(), posting, next) ? Optional.of(next) : Optional.empty();
    }

    private void store(Posting posting) {
        postings.put(posting.key(), posting);
        if (posting.endedJob() != null) {
            ranksOf(posting.endedJob()).values().removeIf(this::ofEndedJob);
        }
    }

    private boolean ofEndedJob(Posting posting) {
        return posting.rank() != null && ended(posting.rank());
    }

    /** Whether the rank's job has ended, or its relay's part of it. */
    boolean ended(RankEntry rank) {
        return postings.containsKey(Posting.endedKey(rank.job())) || postings.containsKey(Posting.endedKey(rank.job(), rank.relay()));
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

    /** Removes the posting unless a later one has arrived. */
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

    /** The highest known epoch of a relay; 0 if there is none. */
    long epoch(String relay) {
        Posting known = postings.get(Posting.relayKey(relay));
        return known == null ? 0 : known.version();
    }

    List<RankEntry> ranks() {
        return subMap(Posting.RANK_KEYS).values().stream().map(Posting::rank).sorted(RankEntry.ORDER).toList();
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
